import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { newId } from '@burnish/contract';
import type { EnhanceInput } from '../temporal/workflow.ts';
import type { Enhancement } from '../types.ts';
import type { FakeOutcome } from './course.ts';
import { fakeActivity } from './fake-activity.ts';
import { toppedUp } from './fake-enhancement.ts';
import { fakeEnhancements, type FakeEnhancements } from './fake-enhancements.ts';
import { fakeServiceHandler } from './fake-service.ts';
import { createFakeWork } from './fake-work.ts';
import { createLedger, type LedgerActivities } from './ledger.ts';

export interface FakeOptions {
  /** Name of the Nexus endpoint that the workflow under test calls. It must not exist. Default: none, for callers in activities */
  endpoint?: string;
  /** Chooses the outcome of an order. Default: that of its reference, and otherwise a result at once */
  outcome?: (input: EnhanceInput) => FakeOutcome;
  /** Credits of the account. Default: enough for all orders */
  credits?: number;
}

/** A running fake of Burnish. */
export interface FakeBurnish {
  /** Accepted inputs of `enhance`, in their order */
  readonly orders: readonly EnhanceInput[];
  /** What people and programs do over REST, as in the client */
  readonly enhancements: FakeEnhancements;
  /**
   * An activity for a worker, in place of one of yours that calls Burnish. It throws ApplicationFailure with the code as its type, and one
   * that a retry can mend is retried.
   */
  enhance(this: void, input: EnhanceInput): Promise<Enhancement>;
  /** Adds credits to the account. Enhancements that wait for them go on. */
  topUp(credits: number): Promise<void>;
  /** Ends its worker. Call it before the end of the environment. */
  stop(): Promise<void>;
}

/** In the package as in the sources, the workflow is beside this module, with the same ending. */
const here = import.meta.url;
const isSource = here.endsWith('.ts');
const workflowsPath = fileURLToPath(new URL(`fake-enhancement${isSource ? '.ts' : '.cjs'}`, here));
/**
 * Stands for Burnish in a test environment of `@temporalio/testing`. It enhances nothing: references cause outcomes as with a test key,
 * and time passes on the clock of the environment.
 */
export async function startFakeBurnish(
  environment: TestWorkflowEnvironment,
  { endpoint, outcome = () => ({}), credits = Infinity }: FakeOptions = {},
): Promise<FakeBurnish> {
  const taskQueue = `burnish-fake-${endpoint ?? newId('enh', Date.now())}`;
  const namespace = environment.namespace ?? 'default';
  // That of the environment skips time when it waits for a result.
  const client = new Client({ connection: environment.connection, namespace });
  let isStopped = false;
  const work = createFakeWork({
    client,
    clock: {
      now: () => environment.currentTimeMs(),
      sleep: (ms) => (isStopped ? Promise.reject(new Error('The fake has stopped.')) : environment.sleep(ms)),
    },
    outcomeOf: outcome,
  });
  const ledger = createLedger(credits);
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    namespace,
    taskQueue,
    workflowsPath,
    activities: {
      ...ledger.activities,
      async settle(id, charged) {
        await ledger.activities.settle(id, charged);
        work.end(id);
      },
    } satisfies LedgerActivities,
    nexusServices: [fakeServiceHandler(work)],
  });
  if (endpoint !== undefined) await environment.createNexusEndpoint(endpoint, taskQueue);
  const run = worker.run();
  run.catch(() => undefined); // `stop` reports it.
  return {
    get orders() {
      return [...work.orders.values()];
    },
    enhancements: fakeEnhancements(work),
    enhance: fakeActivity(work, { client, taskQueue }),
    async topUp(more) {
      ledger.topUp(more);
      // The ended ones need no signal.
      const told = [...work.orders.keys()].map((id) => work.handle(id).signal(toppedUp));
      await Promise.allSettled(told);
    },
    async stop() {
      isStopped = true;
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await run;
    },
  };
}
