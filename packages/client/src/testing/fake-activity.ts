import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { explainInOneText, Failure, newId, failureOfOperation } from '@burnish/contract';
import type { EnhanceInput } from '../temporal/workflow.ts';
import type { Enhancement } from '../types.ts';
import type { fakeEnhancement } from './fake-enhancement.ts';
import type { FakeWork } from './fake-work.ts';

/** Real milliseconds in which a cancelled course ends, if the clock goes on. */
const STOP_MS = 1_000;

/** The activity of a fake: it orders an enhancement at each attempt, and waits for its end. */
export function fakeActivity(
  work: FakeWork,
  { client, taskQueue }: { client: Client; taskQueue: string },
): (input: EnhanceInput) => Promise<Enhancement> {
  return async (input) => {
    const enhancementId = newId('enh', Date.now());
    const ids = { enhancementId, uploadId: newId('upl', Date.now()) };
    const course = await work.accept(input, ids).catch(throwForTemporal);
    const handle = await client.workflow.start<typeof fakeEnhancement>('fakeEnhancement', {
      workflowId: work.workflowId(enhancementId),
      taskQueue,
      args: [course],
    });
    work.follow(enhancementId);
    const { cancelled } = Context.current();
    try {
      return await Promise.race([handle.result(), cancelled]);
    } catch (error) {
      const isEnded = error instanceof WorkflowFailedError;
      const failure = isEnded ? failureOfOperation(await work.read(enhancementId)) : undefined;
      if (failure !== undefined) throw ApplicationFailure.create(failure);
      await handle.cancel();
      // The attempt lasts as long as its course, which skips time for it; not where the clock stands, as when its worker stops.
      await Promise.race([handle.result(), pause(STOP_MS)]).catch(() => undefined);
      throw error;
    }
  };
}

/** Converts a refusal: the code becomes the type of a failure, and one that a retry can mend is retried. */
function throwForTemporal(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const { code, message, retryable } = error;
  throw ApplicationFailure.create({ type: code, message: explainInOneText(code, message), nonRetryable: !retryable });
}
