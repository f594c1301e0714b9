import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { FakeOutcome } from './course.ts';
import { fakeServiceHandler } from './fake-service.ts';
import type { EnhanceInput } from './input.ts';

export interface FakeOptions {
  /** Chooses the outcome of an order. Default: that of its reference, and otherwise a result at once */
  outcome?: (input: EnhanceInput) => FakeOutcome;
}

/** A running fake of the Nexus service `burnish`. */
export interface FakeBurnish {
  /** Accepted inputs of `enhance`, in their order */
  readonly orders: readonly EnhanceInput[];
  /** Ends its worker. Call it before the end of the environment. */
  stop(): Promise<void>;
}

/** In the package as in the sources, the workflow is beside this module, with the same ending. */
const here = import.meta.url;
const isSource = here.endsWith('.ts');
const workflowsPath = fileURLToPath(new URL(`fake-enhancement${isSource ? '.ts' : '.js'}`, here));
/** The package contains the vocabulary of the engine. From source, webpack finds it by its name here. */
const vocabulary = { '@burnish/engine/contract': fileURLToPath(new URL('../../../engine/src/contract.ts', here)) };
const bundlerOptions: NonNullable<WorkerOptions['bundlerOptions']> = isSource
  ? {
      webpackConfigHook: (config) => ({
        ...config,
        resolve: { ...config.resolve, alias: { ...config.resolve?.alias, ...vocabulary } },
      }),
    }
  : {};

/**
 * Serves the Nexus service `burnish` in a test environment of `@temporalio/testing`. It enhances nothing: references cause
 * outcomes as with a test key, and time passes on the clock of the environment.
 * @param endpoint name of the Nexus endpoint that the workflow under test calls; it must not exist
 */
export async function startFakeBurnish(
  environment: TestWorkflowEnvironment,
  { endpoint, outcome = () => ({}) }: FakeOptions & { endpoint: string },
): Promise<FakeBurnish> {
  const taskQueue = `burnish-fake-${endpoint}`;
  const orders = new Map<string, EnhanceInput>();
  let isStopped = false;
  const handler = fakeServiceHandler({
    now: () => environment.currentTimeMs(),
    sleep: (ms) => (isStopped ? Promise.reject(new Error('The fake has stopped.')) : environment.sleep(ms)),
    outcomeOf: outcome,
    accept: (enhancementId, input) => void orders.set(enhancementId, input),
  });
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? 'default',
    taskQueue,
    workflowsPath,
    bundlerOptions,
    nexusServices: [handler],
  });
  await environment.createNexusEndpoint(endpoint, taskQueue);
  const run = worker.run();
  run.catch(() => undefined); // `stop` reports it.
  return {
    get orders() {
      return [...orders.values()];
    },
    async stop() {
      isStopped = true;
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await run;
    },
  };
}
