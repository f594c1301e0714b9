import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/common';
import * as temporalNexus from '@temporalio/nexus';
import * as nexus from 'nexus-rpc';
import { TOKEN_HEADER } from '../../../../src/domain/accounts/nexus-endpoint.ts';
import { Failure } from '../../../../src/domain/failures.ts';
import { derivedId } from '../../../../src/domain/ids.ts';
import type {
  EnhancementRepresentation,
  EstimateRepresentation,
} from '../../../../src/domain/representations/answers.ts';
import { toFinalError, toRepeatedError } from '../../../../src/domain/temporal/operation-errors.ts';
import { lengthOf, planCourse, priceOf, RECORD_QUERY, type Course, type FakeOutcome } from './course.ts';
import type { fakeEnhancement } from './fake-enhancement.ts';
import { toEstimatedOrder, toOrder, toReadId, type EnhanceInput, type EstimateInput } from './input.ts';
import type { Begin } from './record.ts';

/** The Nexus service `burnish`, for `createNexusServiceClient`. */
export const burnishService = nexus.service('burnish', {
  enhance: nexus.operation<EnhanceInput, EnhancementRepresentation>(),
  estimate: nexus.operation<EstimateInput, EstimateRepresentation>(),
  getEnhancement: nexus.operation<{ enhancementId: string }, EnhancementRepresentation>(),
});

export interface FakeServiceDeps {
  now(): Promise<number>;
  /** Lets time pass on the clock of the environment, milliseconds */
  sleep(ms: number): Promise<void>;
  outcomeOf(input: EnhanceInput): FakeOutcome;
  /** Is told of each accepted order, again when Temporal repeats its start */
  accept(enhancementId: string, input: EnhanceInput): void;
}

const NO_TOKEN = `The call lacks the operation header ${TOKEN_HEADER}. Send the token of the endpoint in it; here, any text.`;

const workflowIdOf = (enhancementId: string): string => `burnish-fake/${enhancementId}`;

/** Handles the operations by a plan: a workflow of the same environment lets the time of each order pass. */
export function fakeServiceHandler({ now, sleep, outcomeOf, accept }: FakeServiceDeps) {
  const enhance = new temporalNexus.WorkflowRunOperationHandler<EnhanceInput, EnhancementRepresentation>((ctx, input) =>
    guarded(ctx, async () => {
      const order = toOrder(input);
      const begin = { ...idsOf(ctx.requestId, input), atMs: await now() };
      const course = planCourse(order, begin, outcomeOf(input));
      accept(begin.enhancementId, input);
      const workflowId = workflowIdOf(begin.enhancementId);
      const started = await temporalNexus.startWorkflow<typeof fakeEnhancement>(ctx, 'fakeEnhancement', {
        workflowId,
        args: [course],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      void skipTime(temporalNexus.getClient().workflow.getHandle(workflowId), course, sleep);
      return started;
    }),
  );
  return nexus.serviceHandler(burnishService, {
    enhance,
    estimate: (ctx, input) =>
      guarded(ctx, async () => {
        const order = toEstimatedOrder(input);
        const credits = priceOf(order);
        const size = { filesize: null, minFilesize: null, maxFilesize: null, width: null, height: null };
        return { credits, minCredits: credits, ...size, notes: [], masksOnly: 0, expectedImages: null };
      }),
    getEnhancement: (ctx, input) => guarded(ctx, () => readRecordOf(toReadId(input))),
  });
}

/** Most of one skip, milliseconds: a cancelled enhancement takes little more time with it. */
const SKIP_MS = 6 * 3_600_000;
/** A late course gets this real time to end by itself, and then a first further skip, milliseconds. */
const LATE_MS = { real: 200, skip: 1_000 };

/**
 * Skips time until the end of a course: the test server does not while a Nexus operation waits. The end of the fake ends it. It skips
 * hardly more than the course takes, since the start of another operation that is under way meanwhile would time out, and be repeated
 * after ten real seconds.
 */
async function skipTime(
  handle: { result(): Promise<unknown> },
  { waits }: Course,
  sleep: FakeServiceDeps['sleep'],
): Promise<void> {
  const length = lengthOf(waits);
  let over = length === 0;
  if (over) return;
  const end = (): void => void (over = true);
  const ended = handle.result().then(end, end);
  try {
    for (let left = length; left > 0 && !over; left -= SKIP_MS) await sleep(Math.min(left, SKIP_MS));
    for (let late = LATE_MS.skip; ; late = Math.min(2 * late, SKIP_MS)) {
      await Promise.race([ended, pause(LATE_MS.real)]);
      if (over) return;
      await sleep(late);
    }
  } catch {
    // The fake or its environment has ended.
  }
}

/** Runs an operation of a call with a token, and converts its failures as the service does. */
async function guarded<T>({ headers }: nexus.OperationContext, operation: () => Promise<T>): Promise<T> {
  try {
    // Any token is valid: a test has none of an endpoint.
    if (!headers[TOKEN_HEADER]) throw new Failure('FORBIDDEN', { detail: NO_TOKEN });
    return await operation();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw toRepeatedError(error) ?? toFinalError(error);
  }
}

/** Ids of a start, the same for each of its repetitions. */
function idsOf(requestId: string, { source }: EnhanceInput): Pick<Begin, 'enhancementId' | 'uploadId'> {
  const digest = createHash('sha256').update(requestId).digest();
  return {
    enhancementId: derivedId('enh', digest),
    uploadId: 'uploadId' in source ? source.uploadId : derivedId('upl', digest.subarray(16)),
  };
}

async function readRecordOf(enhancementId: string): Promise<EnhancementRepresentation> {
  try {
    return await temporalNexus.getClient().workflow.getHandle(workflowIdOf(enhancementId)).query(RECORD_QUERY);
  } catch (error) {
    throw error instanceof WorkflowNotFoundError ? new Failure('NOT_FOUND') : error;
  }
}
