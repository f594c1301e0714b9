/**
 * A browser has six connections to a host, over all its windows, and a stream of events holds one for as long as it lasts. All
 * windows together hold these; the rest is for everything else.
 */
const PLACES = ['stream-1', 'stream-2', 'stream-3'] as const;

/** Where there are no locks, which is without https or localhost, nobody can ask the other windows: one place for this one. */
let isOwnPlaceTaken = false;

/** Takes a place among the streams of all windows. @returns gives it back; undefined when all are taken */
export async function takeStreamPlace(): Promise<(() => void) | undefined> {
  if (!('locks' in navigator)) return takeOwnPlace();
  for (const place of PLACES) {
    const release = await takeLock(place);
    if (release !== undefined) return release;
  }
  return undefined;
}

/** The browser takes the lock back by itself when the window goes. */
function takeLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock === null) resolve(undefined);
      else await new Promise<void>((release) => resolve(release));
    });
  });
}

function takeOwnPlace(): (() => void) | undefined {
  if (isOwnPlaceTaken) return undefined;
  isOwnPlaceTaken = true;
  return () => (isOwnPlaceTaken = false);
}
