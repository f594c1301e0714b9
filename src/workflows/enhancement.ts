import {
  allHandlersFinished,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { counted, formatNumber } from '../domain/counted.ts';
import { isTerminal, type EnhancementResult, type EnhancementStatus } from '../domain/enhancement.ts';
import { cancelEnhancement, creditsChanged, enhancementSettled, uploadWorkflowId } from '../domain/messages.ts';
import { mediaKind } from '../domain/media.ts';
import { resultKey } from '../domain/object-keys.ts';
import { assertParametersFit, resolveImageParameters, resolvePdfParameters } from '../domain/parameters.ts';
import { assertResolutionWithinPlan, PLANS } from '../domain/plans.ts';
import { priceOfAnalyzedPdf, priceOfImage } from '../domain/pricing.ts';
import { resultFilename } from '../domain/result-filename.ts';
import type { EnhancementInput } from '../domain/workflow-inputs.ts';
import type { EstimateJob } from '../activities/provider/provider.ts';
import {
  captureCredits,
  copyResult,
  deleteResult,
  estimate,
  findReusableResult,
  releaseCredits,
} from './activities.ts';
import { createApproval } from './approval.ts';
import { reserveOrWait } from './credit-reservation.ts';
import type { EnhancementParts } from './enhancement-parts.ts';
import { trackEnhancement, type EnhancementTracker } from './enhancement-state.ts';
import { failureReason } from './failure-reason.ts';
import { makeResult } from './make-result.ts';
import { listenForProviderEvents } from './provider-events.ts';

/**
 * Owns one enhancement: estimate → approval → credits → engine → capture. Ends in a terminal status in every case, with
 * the ledger balanced and nothing left in storage unless it finished.
 */
export async function enhancement(input: EnhancementInput): Promise<EnhancementStatus> {
  const tracker = trackEnhancement(input);
  const { state } = tracker;
  const approval = createApproval(tracker);
  const providerEvents = listenForProviderEvents();
  const work = new CancellationScope();
  let creditSignals = 0;
  setHandler(creditsChanged, () => {
    creditSignals += 1;
  });
  setHandler(cancelEnhancement, async () => {
    work.cancel();
    await condition(() => isTerminal(state.status));
    return state;
  });

  try {
    await work.run(() => produce(input, { tracker, approval, providerEvents, creditSignals: () => creditSignals }));
  } catch (error) {
    await CancellationScope.nonCancellable(() => undo(input, tracker, error));
  }
  await CancellationScope.nonCancellable(async () => {
    await tracker.tell();
    await tellUpload(tracker);
    await condition(allHandlersFinished);
  });
  return state.status;
}

/** The main path: everything here may be cancelled at any await, up to the capture. */
async function produce(input: EnhancementInput, parts: EnhancementParts): Promise<void> {
  const { tracker, approval, creditSignals } = parts;
  const { state } = tracker;
  assertAcceptable(input);
  if (await reuse(input, tracker)) return;

  const job = { enhancementId: state.id, source: sourceOf(input), parameters: state.parameters, plan: input.plan };
  state.estimatedCredits = await estimateOf(job, input);

  if (state.maxCredits !== null && state.estimatedCredits > state.maxCredits) {
    const [estimated, limit] = [counted(state.estimatedCredits, 'credit'), formatNumber(state.maxCredits)];
    await approval.wait(`Estimated at ${estimated}, over the limit of ${limit}: waiting for approval.`);
  }

  await reserveOrWait(tracker, creditSignals);
  const outcome = await makeResult(input, { ...job, resultKey: resultKeyOf(input) }, parts, summaryOf(input));
  await CancellationScope.nonCancellable(async () => {
    await captureCredits({ ...ledgerEntryOf(tracker), credits: outcome.credits });
    await finish(tracker, outcome.result, { engine: outcome.engine, chargedCredits: outcome.credits });
  });
}

/**
 * The type of a file that comes from an address is known only now; what the gateway could check is checked again.
 * @throws Failure BAD_USER_INPUT or TARGET_RESOLUTION_EXCEEDS_PLAN
 */
function assertAcceptable({ initial: { parameters }, upload, plan }: EnhancementInput): void {
  assertParametersFit(mediaKind(upload.mimetype), parameters);
  if (parameters.targetResolution !== undefined) assertResolutionWithinPlan(plan, parameters.targetResolution);
}

/** An image's price follows from its parameters alone; a PDF's depends on what is in it. */
async function estimateOf(job: EstimateJob, input: EnhancementInput): Promise<number> {
  if (mediaKind(job.source.mimetype) === 'image') return priceOfImage(resolveImageParameters(job.parameters));
  const { analysis = null } = input.upload;
  if (input.initial.provider === 'hosted' && analysis !== null) {
    return priceOfAnalyzedPdf(analysis, resolvePdfParameters(job.parameters, PLANS[job.plan].maxResolution));
  }
  return estimate.executeWithOptions({ summary: summaryOf(input) }, [job]);
}

/** The same file, parameters and engine version have been enhanced before: its result serves again, free of charge. */
async function reuse(input: EnhancementInput, tracker: EnhancementTracker): Promise<boolean> {
  const { state } = tracker;
  const earlier = await findReusableResult({
    accountId: state.accountId,
    sourceSha256: input.upload.sha256,
    mimetype: input.upload.mimetype,
    parameters: state.parameters,
    plan: input.plan,
    provider: state.provider,
  });
  if (earlier === null) return false;
  const objectKey = resultKeyOf(input);
  // The earlier upload may be deleted at this very moment; then the work is simply done again.
  if (!(await copyResult({ from: earlier.result.objectKey, to: objectKey }))) return false;
  await CancellationScope.nonCancellable(() =>
    finish(
      tracker,
      {
        ...earlier.result,
        objectKey,
        filename: resultFilename(input.upload.originalFilename, earlier.result.mimetype),
      },
      {
        engine: { ...earlier.engine, durationMs: 0 },
        chargedCredits: 0,
        estimatedCredits: 0,
        reusedFrom: earlier.enhancementId,
      },
    ),
  );
  return true;
}

async function finish(
  tracker: EnhancementTracker,
  result: EnhancementResult,
  facts: Partial<EnhancementTracker['state']>,
): Promise<void> {
  const sentence = facts.reusedFrom
    ? `Finished: same file and parameters as ${facts.reusedFrom}, so its result serves again, free of charge.`
    : `Finished: ${result.filename}, ${counted(result.size, 'byte')}, ${counted(facts.chargedCredits ?? 0, 'credit')}.`;
  await tracker.move({ ...facts, status: 'FINISHED', result, finishedAt: now() }, sentence);
}

/** Takes back what was begun: each step is a no-op if its counterpart never ran. */
async function undo(input: EnhancementInput, tracker: EnhancementTracker, error: unknown): Promise<void> {
  await releaseCredits(ledgerEntryOf(tracker));
  await deleteResult({ objectKey: resultKeyOf(input) });
  if (isCancellation(error)) {
    await tracker.move({ status: 'CANCELLED', finishedAt: now() }, 'Cancelled; reserved credits were released.');
    return;
  }
  const { code, detail } = failureReason(error);
  await tracker.move(
    { status: 'ERROR', errorCode: code, errorDetail: detail, finishedAt: now() },
    `Failed with ${code}: ${detail}`,
  );
}

/** The upload waits for its enhancements before it deletes files. It may have ended already: then nobody waits. */
async function tellUpload({ state }: EnhancementTracker): Promise<void> {
  try {
    const upload = getExternalWorkflowHandle(uploadWorkflowId(state.uploadId));
    await upload.signal(enhancementSettled, { enhancementId: state.id, status: state.status });
  } catch {
    /* see above */
  }
}

function ledgerEntryOf({ state }: EnhancementTracker) {
  return { accountId: state.accountId, enhancementId: state.id, nowMs: Date.now() };
}

function sourceOf({ upload }: EnhancementInput) {
  return {
    uploadId: upload.id,
    objectKey: upload.objectKey,
    mimetype: upload.mimetype,
    originalFilename: upload.originalFilename,
  };
}

const resultKeyOf = ({ initial }: EnhancementInput): string =>
  resultKey(initial.accountId, initial.uploadId, initial.id);
const summaryOf = ({ upload }: EnhancementInput): string => `${upload.originalFilename} (${upload.id})`;
const now = (): string => new Date().toISOString();
