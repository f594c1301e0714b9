import { StartupError } from '../domain/startup-error.ts';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processBirth, processIsAlive } from './process-identity.ts';

export interface LockTiming {
  /** Milliseconds between signs of life of a holder */
  beatMs: number;
  /** Milliseconds without one after which a holder on another machine counts as dead */
  silenceMs: number;
}

const TIMING: LockTiming = { beatMs: 2_000, silenceMs: 15_000 };
const TRIES = 3;

/** A claim is a file whose name says who made it, so that it appears whole or not at all. */
interface Claim {
  pid: number;
  birth: string;
  host: string;
}

/**
 * Keeps a second process out of a data folder. Every process first puts down a claim of its own, then looks at those of
 * others: whoever comes second sees the first, and nobody ever takes over a file that another may just have taken.
 * A claim whose process is gone, told by its pid and by when it was born (pids are reused), is removed. A claim from
 * another machine or container cannot be looked up; it counts as dead when it gives no sign of life for a while.
 * @returns gives the folder back
 * @throws Error naming the process that has it
 */
export async function lockDataFolder(folder: string, timing = TIMING): Promise<() => Promise<void>> {
  const locks = join(folder, 'locks');
  await mkdir(locks, { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    const own = `${process.pid}-${processBirth(process.pid)}-${hostToken()}-${randomBytes(6).toString('hex')}`;
    await writeFile(join(locks, own), '', { flag: 'wx' });
    const holder = await findHolder(locks, own, timing);
    if (holder === undefined) return hold(join(locks, own), timing);
    await rm(join(locks, own), { force: true });
    if (attempt === TRIES) throw new StartupError(`The data folder ${folder} is in use by process ${holder.pid}.`);
    // Two that started in the same moment see each other: the pauses differ, so one of them gets in.
    await pause(Math.random() * 200);
  }
}

/** The first other claim that is alive. Removes the dead ones: their names never come again. */
async function findHolder(locks: string, own: string, timing: LockTiming): Promise<Claim | undefined> {
  for (const name of await readdir(locks)) {
    const claim = name === own ? undefined : parseClaim(name);
    if (claim === undefined) continue;
    if (await isAlive(claim, join(locks, name), timing)) return claim;
    await rm(join(locks, name), { force: true });
  }
  return undefined;
}

async function isAlive(claim: Claim, path: string, { beatMs, silenceMs }: LockTiming): Promise<boolean> {
  if (claim.host === hostToken()) return processIsAlive(claim.pid, claim.birth);
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

function parseClaim(name: string): Claim | undefined {
  const [, pid, birth, host] = /^(\d+)-([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]+$/.exec(name) ?? [];
  return pid && birth && host ? { pid: Number(pid), birth, host } : undefined;
}

function hostToken(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
}
