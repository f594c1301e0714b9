import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Milliseconds of a clock tick in procfs: the kernel reports 100 ticks a second (USER_HZ) on every platform of Node.js. */
const TICK_MS = 10;

/** Memory of the kernel for a thread, which no process is charged for: its stack and its descriptors, rounded up, bytes. */
const THREAD_BYTES = 64 * 1024;

/** A process, its children, and theirs, by procfs; where there is none, the process alone. The nearest come first. */
export function processTree(pid: number): number[] {
  const pids = [pid];
  for (const each of pids) pids.push(...listChildren(each));
  return pids;
}

export function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * CPU time of a process and all below it, milliseconds: of every thread, and of children that have ended. On Linux by
 * procfs, in steps of 10 ms. Elsewhere by ps, for the process alone.
 * @returns undefined when it cannot be read, such as after the end of the process
 */
export async function cpuTimeMs(pid: number): Promise<number | undefined> {
  if (process.platform === 'linux') return treeByProcfs(pid);
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)]);
    return msOfPs(stdout);
  } catch {
    return undefined;
  }
}

function treeByProcfs(pid: number): number | undefined {
  const times = processTree(pid).flatMap((each) => oneByProcfs(each) ?? []);
  return times.length === 0 ? undefined : times.reduce((sum, each) => sum + each, 0);
}

/** Fields `utime`, `stime`, `cutime` and `cstime` of proc_pid_stat(5); the name before them may contain spaces. */
function oneByProcfs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** Milliseconds of a time by ps: `[[days-]hours:]minutes:seconds`, with hundredths on macOS. */
export function msOfPs(text: string): number | undefined {
  const match = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (match === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part = '0') => Number(part));
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}

export interface Holdings {
  /** Memory, bytes */
  bytes: number;
  /** They share the limits of a user or a container with everybody else; 0 without procfs */
  threads: number;
}

/**
 * What a process and all below it hold now: a jail has a supervisor, and the one that works is below it. 0 when they are
 * gone. Linux by procfs, read at once, which costs less than handing the reads to a thread; elsewhere by ps.
 */
export async function holdingsOf(pid: number): Promise<Holdings> {
  if (process.platform === 'linux') {
    const each = processTree(pid).map((one) => holdingsIn(readStatus(one)));
    const sum = (key: keyof Holdings): number => each.reduce((total, one) => total + one[key], 0);
    return { bytes: sum('bytes'), threads: sum('threads') };
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return { bytes: Number(stdout.trim()) * 1024, threads: 0 };
  } catch {
    return { bytes: 0, threads: 0 };
  }
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return '';
  }
}

/** Memory is pages in memory and in swap, their tables, and the threads. */
function holdingsIn(status: string): Holdings {
  const threads = Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
  const pages = [...status.matchAll(/^Vm(?:RSS|Swap|PTE):\s+(\d+) kB$/gm)];
  return {
    bytes: pages.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, threads * THREAD_BYTES),
    threads,
  };
}
