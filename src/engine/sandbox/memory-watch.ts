import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { processTree } from './process-tree.ts';

/** Resident memory of a process in bytes; undefined when it is gone. Linux by procfs, elsewhere by ps. */
async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') {
      const line = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
      return line ? Number(line[1]) * 1024 : undefined;
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.trim()) * 1024;
  } catch {
    return undefined;
  }
}

/** Of a process and all below it, bytes: a jail has a supervisor, and the one that works is its child. */
async function residentBytesOfTree(pid: number): Promise<number> {
  const each = await Promise.all(processTree(pid).map(residentBytes));
  return each.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

/** Looks at a process and all below it every `intervalMs` and calls once when they hold more than `limitBytes`. Returns the way to stop. */
export function watchMemory(pid: number, limitBytes: number, onExceeded: () => void, intervalMs = 100): () => void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void residentBytesOfTree(pid).then((bytes) => {
      busy = false;
      if (bytes <= limitBytes) return;
      clearInterval(timer);
      onExceeded();
    });
  }, intervalMs);
  return () => clearInterval(timer);
}
