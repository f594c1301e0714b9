/**
 * A browser has six connections to a host, over all its windows, and each event stream uses one. All windows together use at
 * most these; the rest is for other requests.
 */
const PLACES = ['stream-1', 'stream-2', 'stream-3'] as const;

/** Without https or localhost there are no locks between windows: this window uses at most one stream. */
let isOwnPlaceTaken = false;

/** Acquires a slot for a stream, shared by all windows. @returns its release; undefined if all are in use */
export async function takeStreamPlace(): Promise<(() => void) | undefined> {
  if (!('locks' in navigator)) return takeOwnPlace();
  for (const place of PLACES) {
    const release = await takeLock(place);
    if (release !== undefined) return release;
  }
  return undefined;
}

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
