import type { Worker } from '@temporalio/worker';
import { createLocalProvider } from '../activities/provider/local.ts';
import type { Provider } from '../activities/provider/provider.ts';
import type { FailureLog } from '../activities/failure.ts';
import { detectMediaType } from '../engine/detect.ts';
import { createSandbox } from '../engine/sandbox.ts';
import { engineSizing } from '../engine/sizing.ts';
import { ENGINE_VERSION } from '../engine/version.ts';
import { createEngineWorker, createMainWorker } from '../worker.ts';
import type { Ground } from './ground.ts';
import { openScratch } from './scratch.ts';
import type { TemporalLink } from './temporal.ts';

export type WorkerRole = 'main' | 'engine';

export interface RunningWorkers {
  /** Rejects when a worker dies on its own */
  failed: Promise<never>;
  /** Lets running work come to a stop within its grace, then gives the rest back to Temporal. */
  close(): Promise<void>;
}

/** Starts the workers of the given roles in this process. */
export async function startWorkers(
  roles: readonly WorkerRole[],
  ground: Ground,
  { connection, namespace }: TemporalLink,
  log: FailureLog,
): Promise<RunningWorkers> {
  const deps = { connection, namespace, log };
  const closings: (() => Promise<void>)[] = [];
  const workers: Worker[] = [];
  const scratch = await openScratch(ground.dataDir);
  closings.push(() => scratch.close());
  const startProvider = (concurrency: number): Provider => {
    const sandbox = createSandbox({ concurrency });
    closings.unshift(() => sandbox.close());
    return createLocalProvider({ sandbox, store: ground.store, scratchDir: scratch.path });
  };
  if (roles.includes('engine')) {
    const { slots } = engineSizing();
    workers.push(await createEngineWorker(deps, { provider: startProvider(slots) }, slots));
  }
  if (roles.includes('main')) {
    const inspector = startProvider(1);
    const activities = { ...ground, inspector, detect: detectMediaType, engineVersion: ENGINE_VERSION };
    workers.push(await createMainWorker(deps, activities));
  }
  const runs = workers.map((worker) => worker.run());
  return {
    failed: new Promise((_, reject) => {
      for (const run of runs) run.catch(reject);
    }),
    async close() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs);
      for (const close of closings) await close();
    },
  };
}
