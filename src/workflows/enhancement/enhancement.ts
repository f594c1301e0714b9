import { CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  assertOrderFits,
  counted,
  formatNumber,
  mediaKind,
  resolveImageParameters,
  resolvePdfParameters,
  type EnhancementParameters,
  type MediaType,
  priceOfAnalyzedPdf,
  priceOfImage,
  creditPeriodAt,
  insufficientCredits,
  type PlanTerms,
  LEDGER_CHECK_MS,
} from '@burnish/contract';
import type { EnhanceOutcome } from '../../activities/provider/local-context.ts';
import type { BeginOutcome } from '../../activities/records.ts';
import type { EnhancementRequest } from '../../domain/enhancement/new-enhancement.ts';
import { resultFilename } from '../../domain/upload/filenames.ts';
import { isLargeWork } from '../../domain/enhancement/large-work.ts';
import { resultKey } from '../../domain/files/object-keys.ts';
import { assertPagesExist } from '../../domain/enhancement/order-rules.ts';
import { assertWithinPlan } from '../../domain/enhancement/parameter-rules.ts';
import { ENGINE_TASK_QUEUE, LARGE_ENGINE_TASK_QUEUE } from '../../domain/temporal/workflow-interface.ts';
import { accountNow, waitUntil } from '../account-clock.ts';
import { copyResult, deleteResult, estimate } from '../activities.ts';
import { step, failureReason } from '../step.ts';
import { adoptTrace, findTrace } from '../trace-context.ts';
import { deliver } from './destination.ts';
import { withPriority, type WorkOptions, makeResult } from './make-result.ts';
import { releasePagesLock, acquirePagesLock } from './pages-lock.ts';
import { toSourceFile } from '../upload/upload-state.ts';
import { enhanceWithInspection, untilRecorded } from './with-inspection.ts';
import type { EnhancementContext, EnhancementWork, EnhancementRun } from './enhancement-run.ts';

/**
 * Runs one enhancement: reuse → estimate → approval → credits → engine → capture → destination. It always ends in a terminal status with the
 * ledger balanced. Unless it finished, it leaves no files in storage.
 * @param plan the account's plan at the time of the request
 */
export async function runEnhancement(
  open: EnhancementRun,
  context: EnhancementContext,
  plan: PlanTerms,
): Promise<void> {
  const { state } = open.tracker;
  // After continue-as-new, or after the loss of a workflow, a finished enhancement only has its destination to reach.
  if (state.status === 'FINISHED') return deliver(open);
  try {
    await open.scope.run(async () => {
      const source = toSourceFile(context.upload.state);
      const key = resultKey(state.accountId, state.uploadId, state.id);
      const parameters = withAutoTier(state.parameters, open.request.autoTier, source.mimetype);
      const job = { enhancementId: state.id, source, parameters, plan, resultKey: key };
      await produce({ ...context, open, job });
    });
  } catch (error) {
    const undoing = new CancellationScope({ cancellable: false });
    adoptTrace(undoing, findTrace(open.scope));
    await undoing.run(() => undo(open, error));
  } finally {
    if (context.shared !== undefined) context.shared.found ??= null;
  }
  await deliver(open);
}

/** Resolves the tier `AUTO` for the account. A PDF has no tier. */
function withAutoTier(
  given: EnhancementParameters,
  autoTier: EnhancementRequest['autoTier'],
  mimetype: MediaType,
): EnhancementParameters {
  const isAuto = given.engineTier === undefined || given.engineTier === 'AUTO';
  return autoTier !== undefined && isAuto && mediaKind(mimetype) === 'image'
    ? { ...given, engineTier: autoTier }
    : given;
}

/** The main path. Every await may be cancelled, up to the capture. */
async function produce(work: EnhancementWork): Promise<void> {
  const { open, job } = work;
  const { tracker, progress } = open;
  const { state } = tracker;
  assertAcceptable(work);

  state.estimatedCredits ??= priceKnownSoFar(work);
  // A test has the outcome that it asks for, whatever came before.
  const mayReuse = state.provider !== 'test';
  await acquirePagesLock(work);
  let begun = await tracker.begin(chooseFirstStep(work, { reuse: mayReuse, reserve: mayReserve(open) }));
  if (begun.outcome !== 'reserved') await untilRecorded(work);
  if (begun.outcome === 'reusable') {
    const reused = await reuse(work, begun.earlier);
    if (reused === true) return;
    if (reused === 'damaged') {
      // The account has paid for the damaged result.
      const sentence = `The result of ${begun.earlier.id} is damaged in storage. The work is repeated at no charge.`;
      await tracker.move({ estimatedCredits: 0 }, sentence);
    }
    begun = await tracker.begin(chooseFirstStep(work, { reuse: false, reserve: mayReserve(open) }));
  }
  if (begun.outcome === 'new') {
    notePaid(work, begun);
    state.estimatedCredits ??= await step(tracker.waits, estimate, workOptions(work), job);
    await approve(work, state.estimatedCredits);
    begun = await tracker.begin(chooseFirstStep(work, { reuse: false, reserve: true }));
  }
  while (begun.outcome === 'insufficient') {
    releasePagesLock(open);
    await awaitCredits(open, begun.remaining);
    await acquirePagesLock(work);
    begun = await tracker.begin(chooseFirstStep(work, { reuse: false, reserve: true }));
  }
  delete progress.creditsSince;

  notePaid(work, begun);
  const outcome = (await enhanceWithInspection(work, workOptions(work))) ?? (await makeResult(work, workOptions(work)));
  await CancellationScope.nonCancellable(() => finish(work, outcome));
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

/** Whether the price is known and is within the caller's limit or approved. */
function mayReserve({ tracker: { state }, progress }: EnhancementRun): boolean {
  if (state.estimatedCredits === null) return false;
  return progress.approved === true || state.maxCredits === null || state.estimatedCredits <= state.maxCredits;
}

async function approve(work: EnhancementWork, credits: number): Promise<void> {
  const { open } = work;
  if (mayReserve(open)) return;
  releasePagesLock(open);
  const { progress, approval, tracker } = open;
  const [estimated, limit] = [counted(credits, 'credit'), formatNumber(tracker.state.maxCredits ?? 0)];
  progress.approvalSince ??= accountNow();
  await approval.wait(
    `Estimated at ${estimated}, over the limit of ${limit}: waiting for approval.`,
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

/** The local engine starts with the reservation. The hosted service reports its own start. */
function chooseFirstStep({ open }: EnhancementWork, { reuse, reserve }: { reuse: boolean; reserve: boolean }) {
  const { estimatedCredits, provider, status, basedOn } = open.tracker.state;
  const credits = reserve ? (estimatedCredits ?? 0) : null;
  const reserved = counted(estimatedCredits ?? 0, 'credit');
  if (provider !== 'hosted') {
    const changes = { status: 'PROCESSING', estimatedCredits, startedAt: now() } as const;
    const paid = basedOn ? ` Pages that ${basedOn} has paid cost nothing again.` : '';
    return { changes, sentence: `Enhancing; ${reserved} reserved.${paid}`, reuse, credits };
  }
  // After continue-as-new, the enhancement may already run at the service.
  const changes = { status: status === 'PROCESSING' ? status : 'QUEUED', estimatedCredits } as const;
  return { changes, sentence: `${reserved} reserved.`, reuse, credits };
}

type EarlierEnhancement = Extract<BeginOutcome, { outcome: 'reusable' }>['earlier'];

/** @returns false when the earlier result no longer exists; `damaged` when storage has damaged it */
async function reuse(
  { open, job, upload }: EnhancementWork,
  earlier: EarlierEnhancement,
): Promise<boolean | 'damaged'> {
  const { tracker } = open;
  const objectKey = job.resultKey;
  open.mayHaveResult = true;
  const { objectKey: from, size, sha256 } = earlier.result;
  // The earlier upload may be deleted meanwhile. The enhancement then runs normally.
  const copy = { from, to: objectKey, expected: { size, sha256 } };
  const copied = await step(tracker.waits, copyResult, {}, copy);
  if (copied !== true) return copied;
  const filename = resultFilename(upload.state.originalFilename, earlier.result.mimetype);
  await CancellationScope.nonCancellable(() =>
    tracker.move(
      {
        status: 'FINISHED',
        result: { ...earlier.result, objectKey, filename },
        engine: { ...earlier.engine, durationMs: 0 },
        chargedCredits: 0,
        estimatedCredits: 0,
        reusedFrom: earlier.id,
        basedOn: null,
        finishedAt: now(),
      },
      `Finished: same file and parameters as ${earlier.id}, so its result is reused at no charge.`,
      { announce: true, settle: 'release' },
    ),
  );
  return true;
}

async function finish({ open }: EnhancementWork, { result, engine, credits }: EnhanceOutcome): Promise<void> {
  const { basedOn } = open.tracker.state;
  const paid = basedOn ? `, beside what ${basedOn} has paid` : '';
  await open.tracker.move(
    { status: 'FINISHED', result, engine, chargedCredits: credits, finishedAt: now() },
    `Finished: ${engine.unchanged ? 'no picture needed a change; ' : ''}${result.filename}, ${counted(result.size, 'byte')}, ${counted(credits, 'credit')}${paid}.`,
    { announce: true, settle: { capture: credits } },
  );
}

/** Compensates for the steps so far. Each compensation is a no-op if its step never ran. */
async function undo({ tracker, mayHaveResult }: EnhancementRun, error: unknown): Promise<void> {
  const { accountId, uploadId, id } = tracker.state;
  const ending = { announce: true, settle: 'release' } as const;
  if (isCancellation(error)) {
    const changes = { status: 'CANCELLED', finishedAt: now() } as const;
    await tracker.move(changes, 'Cancelled; reserved credits were released.', ending);
  } else {
    const { code, detail } = failureReason(error);
    await tracker.move(
      { status: 'ERROR', errorCode: code, errorDetail: detail, finishedAt: now() },
      `Failed with ${code}: ${detail}`,
      ending,
    );
  }
  if (mayHaveResult) await deleteResult({ objectKey: resultKey(accountId, uploadId, id) });
}

const workOptions = ({ open, upload, job }: EnhancementWork): WorkOptions => ({
  summary: `${upload.state.originalFilename} (${job.enhancementId})`,
  taskQueue: isLargeWork({ ...upload.state, ...job.source }, job.parameters)
    ? LARGE_ENGINE_TASK_QUEUE
    : ENGINE_TASK_QUEUE,
  ...withPriority(open.request.urgency),
});
const now = (): string => new Date().toISOString();
