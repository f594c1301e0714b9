import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from '../../domain/startup-error.ts';
import { isRunning } from '../../process/process-identity.ts';
import { nameOfThisProcess, processOfName, thisHost, type NamedProcess } from '../../process/process-name.ts';

export interface LockTiming {
  /** Milliseconds between signs of life of a holder */
  beatMs: number;
  /** Milliseconds without one after which a holder on another machine counts as dead */
  silenceMs: number;
}

const TIMING: LockTiming = { beatMs: 2_000, silenceMs: 15_000 };
const TRIES = 3;

/**
 * Keeps a second process out of a data folder. Every process first puts down a claim of its own, a file whose name
 * identifies the process, so that it appears whole or not at all. Then it looks at the files of others: the second process sees the
 * first, and nobody ever takes over a file that another may just have taken. A claim whose process is gone is removed.
 * A claim from another machine or container cannot be looked up; it counts as dead when it gives no sign of life for a
 * while.
 * @returns gives the folder back
 * @throws Error naming the process that has it
 */
export async function lockDataFolder(folder: string, timing = TIMING): Promise<() => Promise<void>> {
  const locks = join(folder, 'locks');
  await mkdir(locks, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const own = `${nameOfThisProcess()}-${randomBytes(6).toString('hex')}`;
    await writeFile(join(locks, own), '', { flag: 'wx', mode: 0o600 });
    const holder = await findHolder(locks, own, timing);
    if (holder === undefined) return hold(join(locks, own), timing);
    await rm(join(locks, own), { force: true });
    if (attempt === TRIES) throw new StartupError(`The data folder ${folder} is in use by process ${holder.pid}.`);
    // Two that started in the same moment see each other: the pauses differ, so one of them gets in.
    await pause(Math.random() * 200);
  }
}

/** The first other claim that is alive. Removes the dead ones: their names never come again. */
async function findHolder(locks: string, own: string, timing: LockTiming): Promise<NamedProcess | undefined> {
  for (const name of await readdir(locks)) {
    const claim = name === own ? undefined : processOfName(name);
    if (claim === undefined) continue;
    if (await isAlive(claim, join(locks, name), timing)) return claim;
    await rm(join(locks, name), { force: true });
  }
  return undefined;
}

async function isAlive(claim: NamedProcess, path: string, { beatMs, silenceMs }: LockTiming): Promise<boolean> {
  if (claim.host === thisHost) return isRunning(claim);
  const before = await lastBeat(path);
  for (let waited = 0; waited < silenceMs; waited += beatMs) {
    await pause(beatMs);
    const now = await lastBeat(path);
    if (now === undefined) return false;
    // Compared with itself, never with our clock.
    if (now !== before) return true;
  }
  return false;
}

async function lastBeat(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}

function hold(path: string, { beatMs }: LockTiming): () => Promise<void> {
  const timer = setInterval(() => {
    const now = new Date();
    // A full or lost disk is met by the database itself.
    utimes(path, now, now).catch(() => {});
  }, beatMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await rm(path, { force: true });
  };
}
