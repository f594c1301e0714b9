import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EnhanceJob, EnhanceOutcome } from '../../activities/provider/provider.ts';
import type { BeginOutcome } from '../../activities/records.ts';
import { counted, formatNumber } from '../../domain/counted.ts';
import type { EnhancementRequest } from '../../domain/enhancement/enhancement.ts';
import { mediaKind, type MediaType, resultFilename } from '../../domain/upload/media.ts';
import { resultKey } from '../../domain/files/object-keys.ts';
import {
  assertParametersFit,
  assertWithinPlan,
  resolveImageParameters,
  resolvePdfParameters,
  type EnhancementParameters,
  priceOfAnalyzedPdf,
  priceOfImage,
} from '../../domain/enhancement/parameters.ts';
import { termsOf, type GivenPlan } from '../../domain/accounts/account.ts';
import { copyResult, deleteResult, estimate } from '../activities.ts';
import { failureReason, withMachineryBackoff } from '../step-failures.ts';
import { withPriority, type WorkOptions, makeResult } from './make-result.ts';
import { sourceFileOf } from '../upload/upload-state.ts';
import type { EnhancementContext, EnhancementWork, OpenEnhancement } from './open-enhancement.ts';
import { awaitCredits } from './reservation.ts';

/**
 * Runs one enhancement: reuse → estimate → approval → credits → engine → capture. Ends in a terminal status in every case, with the
 * ledger balanced and nothing left in storage unless it finished.
 * @param plan the account's plan when it asked
 */
export async function runEnhancement(
  open: OpenEnhancement,
  context: EnhancementContext,
  plan: GivenPlan,
): Promise<void> {
  const { state } = open.tracker;
  try {
    await open.scope.run(async () => {
      const source = sourceFileOf(context.upload.state);
      const key = resultKey(state.accountId, state.uploadId, state.id);
      const parameters = withAutoTier(state.parameters, open.request.autoTier, source.mimetype);
      const job = { enhancementId: state.id, source, parameters, plan, resultKey: key };
      await produce({ ...context, open, job });
    });
  } catch (error) {
    await CancellationScope.nonCancellable(() => undo(open, error));
  }
}

/** The parameters with the tier that `AUTO` means for the account; a PDF has none. */
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

/** The main path: everything here may be cancelled at any await, up to the capture. */
async function produce(work: EnhancementWork): Promise<void> {
  const { open, job } = work;
  const { tracker, progress } = open;
  const { state } = tracker;
  assertAcceptable(job);

  state.estimatedCredits ??= priceKnownSoFar(work);
  let begun = await tracker.begin(beginStepOf(work, { reuse: true, reserve: mayReserve(open) }));
  if (begun.outcome === 'reusable') {
    if (await reuse(work, begun.earlier)) return;
    begun = await tracker.begin(beginStepOf(work, { reuse: false, reserve: mayReserve(open) }));
  }
  if (begun.outcome === 'new') {
    state.estimatedCredits ??= await withMachineryBackoff(tracker.waits, (backoff) =>
      estimate.executeWithOptions({ ...backoff, ...optionsOf(work) }, [job]),
    );
    await approve(open, state.estimatedCredits);
    begun = await tracker.begin(beginStepOf(work, { reuse: false, reserve: true }));
  }
  while (begun.outcome === 'insufficient') {
    await awaitCredits(open, begun.remaining);
    begun = await tracker.begin(beginStepOf(work, { reuse: false, reserve: true }));
  }
  delete progress.creditsSince;

  const outcome = await makeResult(work, optionsOf(work));
  await CancellationScope.nonCancellable(() => finish(work, outcome));
}

/**
 * The type of a file that comes from an address is known only now; what the gateway could check is checked again.
 * @throws Failure BAD_USER_INPUT or TARGET_RESOLUTION_EXCEEDS_PLAN
 */
function assertAcceptable({ source, parameters, plan }: EnhanceJob): void {
  assertParametersFit(mediaKind(source.mimetype), parameters);
  assertWithinPlan(plan, parameters);
}

/** An image's price follows from its parameters; the local engine has to look at a PDF for it (null). */
function priceKnownSoFar({ open, job, upload }: EnhancementWork): number | null {
  if (mediaKind(job.source.mimetype) === 'image') return priceOfImage(resolveImageParameters(job.parameters));
  const { analysis } = upload.state;
  if (open.tracker.state.provider !== 'hosted' || analysis === null) return null;
  return priceOfAnalyzedPdf(analysis, resolvePdfParameters(job.parameters, termsOf(job.plan).maxResolution));
}

/** Whether the price is known, and within the caller's limit or approved. */
function mayReserve({ tracker: { state }, progress }: OpenEnhancement): boolean {
  if (state.estimatedCredits === null) return false;
  return progress.approved === true || state.maxCredits === null || state.estimatedCredits <= state.maxCredits;
}

async function approve(open: OpenEnhancement, credits: number): Promise<void> {
  if (mayReserve(open)) return;
  const { progress, approval, tracker } = open;
  const [estimated, limit] = [counted(credits, 'credit'), formatNumber(tracker.state.maxCredits ?? 0)];
  progress.approvalSince ??= Date.now();
  await approval.wait(
    `Estimated at ${estimated}, over the limit of ${limit}: waiting for approval.`,
    progress.approvalSince,
  );
  progress.approved = true;
  delete progress.approvalSince;
}

/** With the reservation the local engine's work begins; the hosted service says by itself when it has begun. */
function beginStepOf({ open }: EnhancementWork, { reuse, reserve }: { reuse: boolean; reserve: boolean }) {
  const { estimatedCredits, provider, status } = open.tracker.state;
  const credits = reserve ? (estimatedCredits ?? 0) : null;
  const reserved = counted(estimatedCredits ?? 0, 'credit');
  if (provider === 'local') {
    const changes = { status: 'PROCESSING', estimatedCredits, startedAt: now() } as const;
    return { changes, sentence: `Enhancing; ${reserved} reserved.`, reuse, credits };
  }
  // After continue-as-new it is already running there.
  const changes = { status: status === 'PROCESSING' ? status : 'QUEUED', estimatedCredits } as const;
  return { changes, sentence: `${reserved} reserved.`, reuse, credits };
}

type EarlierEnhancement = Extract<BeginOutcome, { outcome: 'reusable' }>['earlier'];

/** The same file, parameters and engine version have been enhanced before: the result serves again, free of charge. */
async function reuse({ open, job, upload }: EnhancementWork, earlier: EarlierEnhancement): Promise<boolean> {
  const { tracker } = open;
  const objectKey = job.resultKey;
  open.mayHaveResult = true;
  // The earlier upload may be deleted at this very moment; then the work is simply done again.
  const copied = await withMachineryBackoff(tracker.waits, (backoff) =>
    copyResult.executeWithOptions(backoff, [{ from: earlier.result.objectKey, to: objectKey }]),
  );
  if (!copied) return false;
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
        finishedAt: now(),
      },
      `Finished: same file and parameters as ${earlier.id}, so its result serves again, free of charge.`,
      { announce: true, settle: 'release' },
    ),
  );
  return true;
}

async function finish({ open }: EnhancementWork, { result, engine, credits }: EnhanceOutcome): Promise<void> {
  await open.tracker.move(
    { status: 'FINISHED', result, engine, chargedCredits: credits, finishedAt: now() },
    `Finished: ${result.filename}, ${counted(result.size, 'byte')}, ${counted(credits, 'credit')}.`,
    { announce: true, settle: { capture: credits } },
  );
}

/** Takes back what was begun: each step is a no-op if its counterpart never ran. */
async function undo({ tracker, mayHaveResult }: OpenEnhancement, error: unknown): Promise<void> {
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

const optionsOf = ({ open, upload, job }: EnhancementWork): WorkOptions => ({
  summary: `${upload.state.originalFilename} (${job.enhancementId})`,
  ...withPriority(open.request.urgency),
});
const now = (): string => new Date().toISOString();
