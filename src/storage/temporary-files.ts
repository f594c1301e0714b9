import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemErrorCode } from './disk-failure.ts';
import { makeFolder } from './durable-folder.ts';

/** Files of a process that cannot be asked (another machine, another container) are left alone for this long. */
const FOREIGN_FILES_KEPT_MS = 24 * 60 * 60 * 1000;

export interface TemporaryFiles {
  /** A path for a new file, on the same file system as the store. */
  newPath(): Promise<string>;
}

/**
 * Temporary files below `folder`, one sub-folder per process. What a process left behind that has died is
 * removed; what belongs to a live one is not.
 */
export async function openTemporaryFiles(folder: string): Promise<TemporaryFiles> {
  await makeFolder(folder);
  for (const owner of await readdir(folder)) {
    if (!(await mayBeInUse(owner, join(folder, owner))))
      await rm(join(folder, owner), { recursive: true, force: true });
  }
  const own = join(folder, ownerName(process.pid));
  return {
    async newPath() {
      await mkdir(own, { recursive: true, mode: 0o700 });
      return join(own, randomUUID());
    },
  };
}

async function mayBeInUse(owner: string, path: string): Promise<boolean> {
  const [host, pid] = owner.split('-');
  if (host === thisHost) return isAlive(Number(pid)) && ownerName(Number(pid)) === owner;
  return Date.now() - (await newestChange(path)) < FOREIGN_FILES_KEPT_MS;
}

/** `<host>-<process id>-<start of the process>`: a process id alone is given out again, most of all in containers. */
function ownerName(pid: number): string {
  return `${thisHost}-${pid}-${startOfProcess(pid)}`;
}

/** The machine, and on Linux the namespace that its process ids belong to. */
const thisHost = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 16);

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Clock ticks from boot to the start of the process (proc_pid_stat(5), field 22); 0 where there is no /proc. */
function startOfProcess(pid: number): string {
  try {
    const stats = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the command, may hold blanks and parentheses; the third field follows its last one.
    return stats.slice(stats.lastIndexOf(')') + 2).split(' ')[22 - 3] ?? '0';
  } catch {
    return '0';
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

async function newestChange(path: string): Promise<number> {
  const names = await readdir(path).catch(() => []);
  const times = await Promise.all(
    [path, ...names.map((name) => join(path, name))].map((file) =>
      stat(file).then(
        (stats) => stats.mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}
