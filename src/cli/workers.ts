import { Runtime, type Worker } from '@temporalio/worker';
import { createLocalProvider } from '../activities/provider/local.ts';
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
  if (roles.includes('engine')) {
    const { slots } = engineSizing();
    const scratchDir = await openScratch(ground.dataDir);
    const sandbox = createSandbox({ concurrency: slots });
    closings.push(() => sandbox.close());
    const provider = createLocalProvider({ sandbox, store: ground.store, scratchDir });
    workers.push(await createEngineWorker(deps, { provider }, slots));
  }
  if (roles.includes('main')) {
    const activities = { ...ground, detect: detectMediaType, engineVersion: ENGINE_VERSION };
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

/** The SDK speaks through our log, and leaves signals to us. Once a process, before the first connection. */
export function installTemporalRuntime(log: {
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}): void {
  Runtime.install({
    shutdownSignals: [],
    logger: {
      log: (level, message, meta) => (level === 'ERROR' ? log.error(meta ?? {}, message) : undefined),
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message, meta) => log.warn(meta ?? {}, message),
      error: (message, meta) => log.error(meta ?? {}, message),
    },
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
}
