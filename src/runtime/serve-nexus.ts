import type { Logger } from 'pino';
import { runAtInterval } from '../process/run-at-interval.ts';
import type { Jail } from '../sandbox/jail.ts';
import type { Config } from './config.ts';
import type { NexusWorker } from './nexus-worker.ts';
import type { Services } from './services.ts';
import type { TemporalLink } from './temporal.ts';

/** Interval between looks for the first endpoint, and between starts that fail, milliseconds. */
const LOOK_MS = 5_000;

/** Serves Nexus operations from the first endpoint on. Until then, it loads no code and opens nothing. */
export function serveNexus(
  config: Config,
  services: Services,
  temporal: TemporalLink,
  deps: { log: Logger; jail: Jail },
): { close(): Promise<void> } {
  let worker: NexusWorker | undefined;

  async function look(): Promise<void> {
    if (worker !== undefined || (await services.stores.nexusEndpoints.list()).length === 0) return;
    const { openNexusWorker } = await import('./nexus-worker.ts');
    worker = await openNexusWorker(config, services, temporal, deps);
    // It waits for the end of this look.
    void stop();
  }

  const stop = runAtInterval(LOOK_MS, () =>
    look().catch((error: unknown) => deps.log.warn({ err: error }, 'Nexus operations could not be served')),
  );
  return {
    async close() {
      await stop();
      await worker?.close();
    },
  };
}
