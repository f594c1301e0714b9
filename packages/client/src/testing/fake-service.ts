import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import * as temporalNexus from '@temporalio/nexus';
import * as nexus from 'nexus-rpc';
import { TOKEN_HEADER, Failure, derivedId, operationErrors } from '@burnish/contract';
import { burnishService, type EnhanceInput } from '../temporal/workflow.ts';
import type { Enhancement } from '../types.ts';
import { priceOf } from './course.ts';
import type { fakeEnhancement } from './fake-enhancement.ts';
import type { FakeWork } from './fake-work.ts';
import { toEstimatedOrders, toReadId } from './input.ts';
import type { Begin } from './record.ts';

const NO_TOKEN = `The call lacks the operation header ${TOKEN_HEADER}. Send the token of the endpoint in it; here, any text.`;

const { toRepeatedError, toFinalError } = operationErrors({ ...nexus, ApplicationFailure });

/** Handles the operations of the service `burnish`. */
export function fakeServiceHandler(work: FakeWork) {
  const enhance = new temporalNexus.WorkflowRunOperationHandler<EnhanceInput, Enhancement>((ctx, input) =>
    guarded(ctx, async () => {
      const ids = idsOf(ctx.requestId);
      const course = await work.accept(input, ids);
      const started = await temporalNexus.startWorkflow<typeof fakeEnhancement>(ctx, 'fakeEnhancement', {
        workflowId: work.workflowId(ids.enhancementId),
        args: [course],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      work.follow(ids.enhancementId);
      return started;
    }),
  );
  return nexus.serviceHandler(burnishService, {
    enhance,
    estimate: (ctx, input) =>
      guarded(ctx, async () => {
        const enhancements = toEstimatedOrders(input).map((order) => {
          const credits = priceOf(order);
          const size = { filesize: null, minFilesize: null, maxFilesize: null, width: null, height: null };
          return { credits, minCredits: credits, ...size, notes: [], masksOnly: 0, expectedImages: null };
        });
        const credits = enhancements.reduce((sum, each) => sum + each.credits, 0);
        return { credits, minCredits: credits, enhancements };
      }),
    getEnhancement: (ctx, input) => guarded(ctx, () => work.read(toReadId(input))),
  });
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
function idsOf(requestId: string): Omit<Begin, 'atMs'> {
  const digest = createHash('sha256').update(requestId).digest();
  return { enhancementId: derivedId('enh', digest), uploadId: derivedId('upl', digest.subarray(16)) };
}
