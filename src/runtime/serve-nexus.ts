import type { Logger } from 'pino';
import type { Jail } from '../sandbox/jail.ts';
import type { Config } from './config.ts';
import type { NexusWorker } from './nexus-worker.ts';
import type { Services } from './services.ts';
import type { TemporalLink } from './temporal.ts';

/** Interval between looks for the first endpoint, milliseconds. */
const LOOK_MS = 5_000;

/** Serves Nexus operations from the first endpoint on. Until then, it loads no code and opens nothing. */
export function serveNexus(
  config: Config,
  services: Services,
  temporal: TemporalLink,
  deps: { log: Logger; jail: Jail },
): { failed: Promise<never>; close(): Promise<void> } {
  let opening: Promise<NexusWorker> | undefined;
  let fail: (reason: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));

  async function open(): Promise<NexusWorker> {
    const { openNexusWorker } = await import('./nexus-worker.ts');
    return await openNexusWorker(config, services, temporal, deps);
  }

  async function look(): Promise<void> {
    if (opening !== undefined || (await services.nexusEndpoints.list()).length === 0) return;
    clearInterval(timer);
    opening ??= open();
    opening.then(({ run }) => run).catch(fail);
  }

  const lookAgain = (): void =>
    void look().catch((error: unknown) => deps.log.warn({ err: error }, 'the Nexus endpoints could not be read'));
  const timer = setInterval(lookAgain, LOOK_MS).unref();
  lookAgain();
  return {
    failed,
    async close() {
      clearInterval(timer);
      const worker = await opening?.catch(() => undefined);
      await worker?.close();
    },
  };
}
