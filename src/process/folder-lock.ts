import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from './process-identity.ts';
import { nameOfThisProcess, processOfName, thisHost, type NamedProcess } from './process-name.ts';

export interface LockTiming {
  /** Milliseconds between two heartbeats of a holder */
  beatMs: number;
  /** Milliseconds without a heartbeat after which a holder on another machine counts as dead */
  silenceMs: number;
}

const TIMING: LockTiming = { beatMs: 2_000, silenceMs: 15_000 };
const TRIES = 3;

export interface FolderLock {
  /** Looks for the claim at its path. A lost mount takes it away. @returns whether this process still holds the folder */
  isHeld(): boolean;
  release(): Promise<void>;
}

/** Another live process has the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';

  readonly pid: number;
  /** Whether the number of the process means nothing on this machine */
  readonly isElsewhere: boolean;

  constructor({ pid, host }: NamedProcess) {
    super(`Process ${pid} uses the folder.`);
    this.pid = pid;
    this.isElsewhere = host !== thisHost;
  }
}

/**
 * Prevents a second process from using a folder. Each process first creates a claim, a file with a name that
 * identifies the process, so its creation is atomic. Then it reads the claims of other processes: the second process
 * sees the first. No process takes over a file, so it cannot race with another takeover. A claim of a dead process is
 * removed. The process of a claim from another machine or container cannot be checked; it counts as dead after a time
 * without heartbeats.
 *
 * `proper-lockfile` cannot replace this: it takes over a lock whose file is old by the local clock, so a process that was
 * stopped or suspended would share its folder with a second one.
 * @param claims folder of the claims alone; it is created
 * @throws FolderInUse; errors of the file system
 */
export async function lockFolder(claims: string, timing = TIMING): Promise<FolderLock> {
  await mkdir(claims, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const own = `${nameOfThisProcess()}-${randomBytes(6).toString('hex')}`;
    const path = join(claims, own);
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    let holder: NamedProcess | undefined;
    try {
      holder = await findHolder(claims, own, timing);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    if (holder === undefined) return hold(path, timing);
    await rm(path, { force: true });
    if (attempt === TRIES) throw new FolderInUse(holder);
    // Two processes that start at the same time see each other. Their random pauses differ, so one of them succeeds.
    await pause(Math.random() * 200);
  }
}

/** The first claim of another live process. Removes claims of dead processes, since their names never recur. */
async function findHolder(claims: string, own: string, timing: LockTiming): Promise<NamedProcess | undefined> {
  for (const name of await readdir(claims)) {
    const claim = name === own ? undefined : processOfName(name);
    if (claim === undefined) continue;
    if (await isAlive(claim, join(claims, name), timing)) return claim;
    await rm(join(claims, name), { force: true });
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
    // Compares the file's time with its earlier value, never with the local clock.
    if (now !== before) return true;
  }
  return false;
}

/** @returns undefined for a claim that is gone. @throws other errors of the file system, which prove no death */
async function lastBeat(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function hold(path: string, { beatMs }: LockTiming): FolderLock {
  const timer = setInterval(() => {
    const now = new Date();
    // The holder itself reports a full or lost disk.
    utimes(path, now, now).catch(() => {});
  }, beatMs);
  timer.unref();
  return {
    isHeld: () => existsSync(path),
    async release() {
      clearInterval(timer);
      await rm(path, { force: true });
    },
  };
}
