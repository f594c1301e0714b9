import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Leases } from '../database/leases.ts';
import { newMarkerId, type StorageMarkers } from '../database/storage-markers.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { type MarkerWatch, readMarker, StorageUnmarked, writeMarker } from '../storage/marked-storage.ts';
import { StorageTrouble } from '../storage/storage-trouble.ts';

/** Storage at the start of a process. */
export interface StorageAtStart {
  store: Pick<ObjectStore, 'get' | 'put'>;
  marker: Pick<MarkerWatch, 'look'>;
  markers: StorageMarkers;
  leases: Leases;
}

export interface MarkOptions {
  /** Id of the marker whose storage the operator gives up: this start then marks the present storage. */
  accepted: string | null;
  /** Receives each new sentence about storage that is away */
  onWait: (sentence: string) => void;
  signal?: AbortSignal | undefined;
  /** Milliseconds between two looks */
  pauseMs?: number;
}

const LEASE = 'storage-marker';
/** Longer than a start takes to read and write the marker. After a crash, another process marks storage. */
const LEASE_MS = 60_000;
const PAUSE_MS = 2_000;

/**
 * Returns once storage carries the marker of this instance. A new instance marks its storage. In every
 * other case, the start waits.
 * @throws the reason of `signal`; errors of the database
 */
export async function markStorage(at: StorageAtStart, options: MarkOptions): Promise<void> {
  const { onWait, signal, pauseMs = PAUSE_MS } = options;
  const holder = randomUUID();
  let told: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const problem = await markOnce(at, options.accepted, holder);
    if (problem === undefined) return;
    if (problem === BUSY) {
      await pause(pauseMs, undefined, signal && { signal });
      continue;
    }
    const sentence = `${problem} ${await chooseRemedy(at.markers)}`;
    if (sentence !== told) onWait((told = sentence));
    await pause(pauseMs, undefined, signal && { signal });
  }
}

const BUSY = 'busy';

/** @returns the problem, or undefined once storage carries the marker */
async function markOnce(at: StorageAtStart, accepted: string | null, holder: string): Promise<string | undefined> {
  const { marker, markers, leases } = at;
  const { id, isWritten } = await markers.expected();
  if (!isWritten || accepted === id) {
    // One process at a time, so that a second one never marks an empty mount point beside the first.
    if (!(await leases.take(LEASE, holder, LEASE_MS))) return BUSY;
    try {
      await place(at, accepted);
    } catch (error) {
      throw error instanceof StorageTrouble ? cannotMark(error) : error;
    } finally {
      await leases.release(LEASE, holder);
    }
  }
  return marker.look().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof StorageUnmarked) return error.problem;
      if (error instanceof StorageTrouble) return 'Storage cannot be read.';
      throw error;
    },
  );
}

async function place({ store, markers }: StorageAtStart, accepted: string | null): Promise<void> {
  const { id, isWritten } = await markers.expected();
  if (accepted === id) {
    // A new id, so that the setting has no further effect, and processes with the earlier storage stop writing.
    const id = newMarkerId();
    await writeMarker(store, id);
    await markers.replace(id);
    return;
  }
  if (isWritten) return;
  const there = await readMarker(store);
  if (there === undefined) await writeMarker(store, id);
  else if (there !== id) return;
  await markers.noteWritten(id);
}

/** Without a marker nothing is known of the storage, so that a refused write is a wrong setting rather than an outage. */
function cannotMark(cause: StorageTrouble): StartupError {
  const reason =
    cause.cause instanceof Error ? ('code' in cause.cause ? cause.cause.code : cause.cause.name) : 'failed';
  const sentence = `Storage cannot be written (${String(reason)}). Correct BURNISH_STORAGE, or the permissions there.`;
  return new StartupError(sentence, { cause });
}

async function chooseRemedy(markers: StorageMarkers): Promise<string> {
  const { id } = await markers.expected();
  return (
    'The start waits: mount the storage, or correct BURNISH_STORAGE. ' +
    `To accept this storage without the files of the other, restart with BURNISH_STORAGE_ACCEPT=${id}.`
  );
}
