import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDiskFull } from '../../domain/failed-machinery.ts';
import { within } from '../../process/within.ts';

/** Free bytes with which PostgreSQL can recover: three segments of its log. */
const FLOOR = 48_000_000;
const PROBE_MS = 5_000;
/** Milliseconds of the wait for a faulty disk. The wait for space has no end. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

export interface DiskWait {
  signal: AbortSignal;
  /** Receives one sentence if there is a wait */
  report: (sentence: string) => void;
}

/**
 * Waits until the disk of a folder takes a write. A start on a disk that is full or faulty would fail, and use up one of
 * few restarts. Returns without that after a minute of faults, so that the start itself names the fault.
 * @throws AbortError
 */
export async function untilWritable(folder: string, { signal, report }: DiskWait): Promise<void> {
  const givenUpAt = performance.now() + PATIENCE_MS;
  for (let told = false; ; told = true) {
    const trouble = await within(PROBE_MS, () => 'faulty' as const, look(folder));
    if (trouble === undefined || (trouble === 'faulty' && performance.now() >= givenUpAt)) return;
    if (!told) report(SENTENCES[trouble]);
    await delay(PAUSE_MS, undefined, { signal });
  }
}

const SENTENCES = {
  full: `The embedded database waits until its disk has ${FLOOR / 1_000_000} MB of free space.`,
  faulty: 'The embedded database waits for its disk, which cannot be written.',
};

async function look(folder: string): Promise<keyof typeof SENTENCES | undefined> {
  const path = join(folder, 'is-writable');
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < FLOOR) return 'full';
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile('yes');
      await file.sync();
    } finally {
      await file.close();
    }
    await rm(path);
    return undefined;
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    return isDiskFull(error) ? 'full' : 'faulty';
  }
}
