import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '@burnish/contract';
import { RETENTION_RENEWAL_MS } from '../../database/hosted/hosted-retention.ts';
import { CallFailure } from '../../hosted/call-failure.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';
import type { HostedDeps } from './deps.ts';

const LOOK_AGAIN_MS = 200;
const TRIES = 300;

/**
 * Creates an upload at the service while the service's retention for new uploads equals the wanted one. Creations with a
 * different retention wait meanwhile.
 * @param holder the same for retries of the same creation
 */
export async function withRetention<T>(
  { hostedApi, hostedRetention, log }: Pick<HostedDeps, 'hostedApi' | 'hostedRetention' | 'log'>,
  { holder, days }: { holder: string; days: number },
  signal: AbortSignal,
  create: () => Promise<T>,
): Promise<T> {
  const stopRenewing = runAtInterval(
    RETENTION_RENEWAL_MS,
    () => hostedRetention.claim(holder, days).catch(() => undefined),
    false,
  );
  try {
    for (let tries = 1; !(await hostedRetention.claim(holder, days)); tries += 1) {
      if (tries === TRIES) {
        const detail = 'Burnish sends uploads with another retention to the hosted service.';
        throw new Failure('RATE_LIMITED', { detail, retryAfterSeconds: 2 });
      }
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
    if ((await hostedRetention.lastSet()) !== days) await set();
    return await create();
  } finally {
    // A renewal after the release would be a claim without an owner.
    await stopRenewing();
    await hostedRetention.release(holder);
  }

  async function set(): Promise<void> {
    await hostedRetention.noteUnknown();
    try {
      await hostedApi.updateFileRetention(days);
      await hostedRetention.noteSet(days);
    } catch (error) {
      if (!(error instanceof CallFailure) || error.retryable || !isAboutDays(error)) throw error;
      // A deletion here also deletes the file there. The service's own retention is only a second safeguard.
      log.warn({ code: error.code, days }, 'the hosted service refused the retention');
    }
  }
}

/** Whether the service refused this value. A refused API key would also fail every later call. */
function isAboutDays({ code }: CallFailure): boolean {
  return code === 'BAD_USER_INPUT';
}
