import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Resident memory of a process and all below it, bytes: a jail has a supervisor, and the one that works is below it. 0 when they are
 * gone. Linux by procfs, read at once, which costs less than handing the reads to a thread; elsewhere by ps.
 */
async function residentBytes(pid: number): Promise<number> {
  if (process.platform === 'linux') return processTree(pid).reduce((sum, each) => sum + residentBytesByProcfs(each), 0);
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.trim()) * 1024;
  } catch {
    return 0;
  }
}

function residentBytesByProcfs(pid: number): number {
  try {
    const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}

/**
 * Looks at a process and all below it every `intervalMs` and calls once when they hold more than `limitBytes`. Returns the
 * way to stop.
 */
export function watchMemory(pid: number, limitBytes: number, onExceeded: () => void, intervalMs = 100): () => void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void residentBytes(pid).then((bytes) => {
      busy = false;
      if (bytes <= limitBytes) return;
      clearInterval(timer);
      onExceeded();
    });
  }, intervalMs);
  return () => clearInterval(timer);
}

/** A process, its children, and theirs, by procfs; where there is none, the process alone. The nearest come first. */
export function processTree(pid: number): number[] {
  const pids = [pid];
  for (const each of pids) pids.push(...childrenOf(each));
  return pids;
}

/** Children of a process's first thread, which is the one that starts them here. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
