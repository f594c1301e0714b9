import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import { type EnhancementRepresentation, failureOfOperation } from '@burnish/contract';
import {
  type AwaitedEnhancement,
  NEXUS_TASK_QUEUE,
  type OperationActivities,
} from '../../domain/temporal/operation-interface.ts';
import { RETRIES } from '../../domain/temporal/retry-policies.ts';
import { getTimeouts } from '../../domain/temporal/timeouts.ts';

const options = { taskQueue: NEXUS_TASK_QUEUE, retry: RETRIES.operation } as const;

const { awaitEnhancement } = proxyActivities<OperationActivities>({
  ...options,
  ...getTimeouts('awaitEnhancement'),
  // The wait has no effect, so a cancellation need not wait for its end.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});
const { cancelEnhancement } = proxyActivities<OperationActivities>({ ...options, ...getTimeouts('cancelEnhancement') });

/**
 * Backs the Nexus operation `enhance`: its result is the record of the finished enhancement. A cancellation cancels the
 * enhancement, which releases its credits. The upload's own workflow remains the only writer of the record.
 * @throws ApplicationFailure with the code of a failed enhancement as its type
 */
export async function enhanceOperation(awaited: AwaitedEnhancement): Promise<EnhancementRepresentation> {
  try {
    return toResult(await ended(awaited));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(async () => {
      await cancelEnhancement(awaited);
      const enhancement = await ended(awaited);
      if (enhancement.status === 'CANCELLED') throw error;
      return toResult(enhancement);
    });
  }
}

async function ended(awaited: AwaitedEnhancement): Promise<EnhancementRepresentation> {
  for (;;) {
    const enhancement = await awaitEnhancement(awaited);
    if (enhancement !== null) return enhancement;
  }
}

function toResult(enhancement: EnhancementRepresentation): EnhancementRepresentation {
  const failure = failureOfOperation(enhancement);
  if (failure === undefined) return enhancement;
  throw ApplicationFailure.create(failure);
}
