import { signal, type ReadonlySignal } from '@preact/signals';
import { BurnishError } from '@burnish/client';
import type { EnhancementProgress } from '@burnish/contract';
import { get } from '../api/client.ts';
import type { UploadWithEnhancements } from '../api/types.ts';
import { findActivity } from './activity.ts';

/** The present state of an upload, while somebody watches. */
export interface LiveUpload {
  readonly id: string;
  readonly upload: ReadonlySignal<UploadWithEnhancements | undefined>;
  readonly progress: ReadonlySignal<Readonly<Record<string, EnhancementProgress>>>;
  /** Why it cannot be read; it is tried again unless it is not there */
  readonly error: ReadonlySignal<unknown>;
  /** Reads it now, after a change of ours. */
  refresh(): void;
  /** Stops watching. */
  close(): void;
}

/** Milliseconds between two requests of a page without a stream. */
const BUSY_POLL_MS = 2000;
const WAITING_POLL_MS = 5000;
/** Events arrive in bursts: a stream starts with all past events. */
const SETTLE_MS = 120;

/**
 * Watches an upload: by its event stream while work runs, by polling while it waits for a decision or a destination. An event
 * only triggers a read of the record, because a stream starts with old events.
 */
export function watchUpload(id: string): LiveUpload {
  const upload = signal<UploadWithEnhancements | undefined>(undefined);
  const progress = signal<Readonly<Record<string, EnhancementProgress>>>({});
  const error = signal<unknown>(undefined);
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stream: EventSource | undefined;
  let leavePlace: (() => void) | undefined;
  let reading = false;
  let isStale = false;

  const later = (ms: number): void => {
    clearTimeout(timer);
    if (!ended.signal.aborted && !document.hidden) timer = setTimeout(() => void read(), ms);
  };

  /** One request at a time, so that an older answer cannot replace a newer one. */
  async function read(): Promise<void> {
    isStale = true;
    if (reading) return;
    reading = true;
    while (isStale) {
      isStale = false;
      await readOnce();
    }
    reading = false;
  }

  async function readOnce(): Promise<void> {
    try {
      upload.value = await get<UploadWithEnhancements>(`/v1/uploads/${id}`, { signal: ended.signal });
      error.value = undefined;
      await goOn(findActivity(upload.value));
    } catch (reason) {
      if (ended.signal.aborted) return;
      error.value = reason;
      closeStream();
      if (!(reason instanceof BurnishError && (reason.status === 404 || reason.status === 401))) later(WAITING_POLL_MS);
    }
  }

  async function goOn(activity: 'busy' | 'waiting' | 'settled'): Promise<void> {
    if (activity === 'busy') {
      await openStream();
      if (stream === undefined) later(BUSY_POLL_MS);
      return;
    }
    closeStream();
    if (activity === 'waiting') later(WAITING_POLL_MS);
  }

  async function openStream(): Promise<void> {
    if (stream !== undefined || ended.signal.aborted || document.hidden) return;
    const leave = await takeStreamPlace();
    if (leave === undefined) return;
    if (ended.signal.aborted || document.hidden) {
      leave();
      return;
    }
    leavePlace = leave;
    stream = new EventSource(`/v1/uploads/${id}/events`);
    for (const event of ['upload', 'enhancement']) stream.addEventListener(event, () => later(SETTLE_MS));
    stream.addEventListener('end', () => {
      closeStream();
      later(SETTLE_MS);
    });
    stream.addEventListener('progress', ({ data }: MessageEvent<string>) => {
      const { enhancementId, ...how } = JSON.parse(data) as EnhancementProgress & { enhancementId: string };
      progress.value = { ...progress.value, [enhancementId]: how };
    });
    stream.addEventListener('error', () => {
      // The browser would reconnect by itself without reporting a failure. A read reports the reason, or opens another stream.
      closeStream();
      later(BUSY_POLL_MS);
    });
  }

  function closeStream(): void {
    if (stream === undefined) return;
    stream.close();
    stream = undefined;
    leavePlace?.();
  }

  /** A hidden page keeps no connection. */
  const onVisibility = (): void => {
    if (document.hidden) {
      clearTimeout(timer);
      closeStream();
    } else {
      later(0);
    }
  };
  document.addEventListener('visibilitychange', onVisibility, { signal: ended.signal });
  void read();

  return {
    id,
    upload,
    progress,
    error,
    refresh: () => later(0),
    close() {
      ended.abort();
      clearTimeout(timer);
      closeStream();
    },
  };
}

/**
 * A browser has six connections to a host, over all its windows, and each event stream uses one. All windows together use at
 * most these; the rest is for other requests.
 */
const PLACES = ['stream-1', 'stream-2', 'stream-3'] as const;

/** Without https or localhost there are no locks between windows: this window uses at most one stream. */
let isOwnPlaceTaken = false;

/** Acquires a slot for a stream, shared by all windows. @returns its release; undefined if all are in use */
async function takeStreamPlace(): Promise<(() => void) | undefined> {
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
