import { setTimeout as delay } from 'node:timers/promises';

/** Together with the cache time of a valid key, this ends the streams of a deleted key within a second. */
const LOOK_AGAIN_MS = 500;

/**
 * Aborted when the reader of a stream loses access: the key was deleted, or the session ended. A failed check, such
 * as with an unavailable database, does not end the stream.
 * @param ended aborted when the stream ends by itself
 */
export function revocation(isGood: () => Promise<boolean>, ended: AbortSignal): AbortSignal {
  const revoked = new AbortController();
  void watch();
  return revoked.signal;

  async function watch(): Promise<void> {
    for (;;) {
      await delay(LOOK_AGAIN_MS, undefined, { ref: false });
      if (ended.aborted) return;
      if (await isGood().catch(() => true)) continue;
      revoked.abort();
      return;
    }
  }
}
