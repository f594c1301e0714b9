import {
  assertOrderFits,
  counted,
  droppedPages,
  formatNumber,
  mediaKind,
  resolveImageParameters,
  resolvePdfParameters,
  priceOfAnalyzedPdf,
  priceOfImage,
  creditPeriodAt,
  insufficientCredits,
  LEDGER_CHECK_MS,
} from '@burnish/contract';
import type { BeginOutcome } from '../../activities/records.ts';
import { assertPagesExist } from '../../domain/enhancement/order-rules.ts';
import { assertWithinPlan } from '../../domain/enhancement/parameter-rules.ts';
import { accountNow, waitUntil } from '../../test-accounts/workflow-clock.ts';
import { estimate } from '../activities.ts';
import { step } from '../step.ts';
import type { Outcome } from './download.ts';
import type { EnhancementWork, EnhancementRun } from './enhancement-run.ts';
import { acquirePagesLock, releasePagesLock } from './pages-lock.ts';
import { toWorkOptions } from './prepare-work.ts';
import { reuse } from './reuse.ts';
import { untilRecorded } from './enhance.ts';

/**
 * The step that reserves the credits of an order. Before, an unknown price is estimated. A price above `maxCredits`, and an
 * order that drops pages, wait for approval. An account without enough credits waits for them. Every await may be cancelled.
 * @returns an equal earlier result, which costs nothing; undefined once the credits are reserved
 */
export async function checkCredits(work: EnhancementWork): Promise<Outcome | undefined> {
  const { open, job } = work;
  const { tracker, progress } = open;
  const { state } = tracker;
  assertAcceptable(work);
  state.estimatedCredits ??= priceKnownSoFar(work);
  await acquirePagesLock(work);
  // A test has the outcome that it asks for, whatever came before.
  let mayReuse = state.provider !== 'test';
  let answer: BeginOutcome;
  for (;;) {
    answer = await reserveIfAccepted(work, { reuse: mayReuse });
    if (answer.outcome !== 'reserved') await untilRecorded(work);
    if (answer.outcome === 'reusable') {
      const reused = await reuse(work, answer.earlier);
      if (reused !== undefined) return reused;
      mayReuse = false;
    } else if (answer.outcome === 'new') {
      notePaid(work, answer);
      state.estimatedCredits ??= await step(tracker.waits, estimate, toWorkOptions(work), job);
      // An equal order may finish during the wait.
      await approve(work, state.estimatedCredits);
    } else break;
  }
  while (answer.outcome === 'insufficient') {
    releasePagesLock(open);
    await awaitCredits(open, answer.remaining);
    await acquirePagesLock(work);
    answer = await reserve(work);
  }
  delete progress.creditsSince;
  notePaid(work, answer);
  return undefined;
}

/** Reserves the credits of the estimate, and records the start of the work in the same statement. */
function reserve(work: EnhancementWork): Promise<BeginOutcome> {
  const credits = work.open.tracker.state.estimatedCredits ?? 0;
  return work.open.tracker.begin({ ...toFirstChange(work), reuse: false, credits });
}

/** Reserves as `reserve` does, unless an equal result exists, or the price is unknown or not accepted yet: all in one statement. */
function reserveIfAccepted(work: EnhancementWork, { reuse: mayReuse }: { reuse: boolean }): Promise<BeginOutcome> {
  const { tracker } = work.open;
  const credits = isAccepted(work) ? tracker.state.estimatedCredits : null;
  return tracker.begin({ ...toFirstChange(work), reuse: mayReuse, credits });
}

/** Whether the price is known, and the order is approved or needs no approval. */
function isAccepted({ open: { tracker, progress }, job }: EnhancementWork): boolean {
  const { estimatedCredits, maxCredits } = tracker.state;
  if (estimatedCredits === null) return false;
  if (progress.approved === true) return true;
  return droppedPages(job.parameters.pages).length === 0 && (maxCredits === null || estimatedCredits <= maxCredits);
}

/** The local engine starts with the reservation. The hosted service reports its own start. */
function toFirstChange({ open }: EnhancementWork) {
  const { estimatedCredits, provider, status, basedOn } = open.tracker.state;
  const reserved = counted(estimatedCredits ?? 0, 'credit');
  if (provider !== 'hosted') {
    const changes = { status: 'PROCESSING', estimatedCredits, startedAt: new Date().toISOString() } as const;
    const paid = basedOn ? ` Pages that ${basedOn} has paid cost nothing again.` : '';
    return { changes, sentence: `Enhancing; ${reserved} reserved.${paid}` };
  }
  // After continue-as-new, the enhancement may already run at the service.
  const changes = { status: status === 'PROCESSING' ? status : 'QUEUED', estimatedCredits } as const;
  return { changes, sentence: `${reserved} reserved.` };
}

/**
 * Repeats the gateway's checks, because the type of a file from a URL is known only after its download.
 * @throws Failure BAD_USER_INPUT or TARGET_RESOLUTION_EXCEEDS_PLAN
 */
function assertAcceptable({ job: { source, parameters, plan }, upload }: EnhancementWork): void {
  assertOrderFits(mediaKind(source.mimetype), parameters);
  assertWithinPlan(plan, parameters);
  const { analysis } = upload.state;
  if (analysis !== null) assertPagesExist(parameters.pages, analysis.statistics.pages);
}

/** Notes what earlier enhancements have paid: it lowers the price, and the record names one of them. */
function notePaid({ open, job }: EnhancementWork, { paid }: BeginOutcome): void {
  if (paid === undefined) return;
  job.paidExcept = paid.paidExcept;
  open.tracker.state.basedOn = paid.basedOn;
}

/**
 * Computes the price of an image from its parameters, and that of a hosted PDF from its analysis. A local PDF returns null: the
 * engine first estimates its price.
 */
function priceKnownSoFar({ open, job, upload }: EnhancementWork): number | null {
  if (mediaKind(job.source.mimetype) === 'image')
    return priceOfImage(resolveImageParameters(job.parameters), upload.state);
  const { analysis } = upload.state;
  if (open.tracker.state.provider !== 'hosted' || analysis === null) return null;
  return priceOfAnalyzedPdf(analysis, resolvePdfParameters(job.parameters, job.plan.maxResolution));
}

async function approve(work: EnhancementWork, credits: number): Promise<void> {
  const { open } = work;
  if (isAccepted(work)) return;
  releasePagesLock(open);
  const { progress, approval, tracker } = open;
  const { maxCredits } = tracker.state;
  const dropped = droppedPages(work.job.parameters.pages).length;
  const limit = maxCredits !== null && credits > maxCredits ? `, over the limit of ${formatNumber(maxCredits)}` : '';
  const drops = dropped > 0 ? `, without ${counted(dropped, 'page')} of the PDF` : '';
  progress.approvalSince ??= accountNow();
  await approval.wait(
    `Estimated at ${counted(credits, 'credit')}${limit}${drops}: waiting for approval.`,
    progress.approvalSince,
  );
  progress.approved = true;
  delete progress.approvalSince;
  await acquirePagesLock(work);
}

/**
 * Waits until the account may have enough credits, for as long as the request allows (docs/contract.md).
 * @param remaining credits left in the account
 * @throws Failure INSUFFICIENT_CREDITS after the time limit
 */
async function awaitCredits(open: EnhancementRun, remaining: number): Promise<void> {
  const { tracker, progress, wakeUps, whileIdle } = open;
  const { state } = tracker;
  const credits = state.estimatedCredits ?? 0;
  const time = accountNow();
  progress.creditsSince ??= time;
  const deadline = progress.creditsSince + state.creditWaitMs;
  if (time >= deadline) throw insufficientCredits(credits, remaining);
  const seen = wakeUps.credits();
  if (state.status !== 'AWAITING_CREDITS') {
    const sentence = `Waiting for credits: ${formatNumber(credits)} needed, ${formatNumber(remaining)} left.`;
    await tracker.move({ status: 'AWAITING_CREDITS', waitingFor: 'credits' }, sentence, { announce: true });
  }
  const nextPeriod = Date.parse(creditPeriodAt(time).end);
  const until = Math.min(deadline, nextPeriod, time + LEDGER_CHECK_MS);
  await whileIdle(() => waitUntil(until, () => wakeUps.credits() > seen, { summary: `credits for ${state.id}` }));
}
