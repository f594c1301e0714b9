import { readdirSync, readFileSync } from 'node:fs';
import { processTree } from '../../test/e2e/processes.ts';
import { cpuIn, createTotalCpuReader } from '../lifecycle/processes.ts';

/** Processes of a cluster that are counted together. */
export interface Part {
  name: string;
  /** Their ids; what they start counts too */
  pids: readonly number[];
}

export interface Usage {
  name: string;
  /** Cores that it used, on average */
  cores: number;
  /** Its thread that used most of a core */
  busiest: { name: string; share: number };
}

/** Starts to count. The returned function gives what each part has used since then, and this process, which sends the files. */
export function startCounting(parts: readonly Part[]): () => Usage[] {
  const begun = performance.now();
  const own = process.cpuUsage();
  const all = parts.map(({ name, pids }) => ({ name, pids, read: createTotalCpuReader(pids) }));
  const before = all.map(({ pids, read }) => ({ cpu: read(), threads: threadsOf(pids) }));
  return () => {
    const ms = performance.now() - begun;
    const { user, system } = process.cpuUsage(own);
    const senders = (user + system) / 1000 / ms;
    const used = all.map(({ name, pids, read }, index) => {
      const { cpu, threads } = before[index]!;
      const busiest = [...threadsOf(pids)].map(([id, thread]) => ({
        name: thread.name,
        share: (thread.cpu - (threads.get(id)?.cpu ?? 0)) / ms,
      }));
      return { name, cores: (read() - cpu) / ms, busiest: busiest.toSorted((a, b) => b.share - a.share)[0]! };
    });
    return [...used, { name: 'senders', cores: senders, busiest: { name: 'main thread', share: senders } }];
  };
}

/** CPU milliseconds of each thread of some process trees, by its id. */
function threadsOf(pids: readonly number[]): Map<string, { name: string; cpu: number }> {
  const threads = new Map<string, { name: string; cpu: number }>();
  for (const { pid } of pids.flatMap(processTree)) {
    for (const id of idsIn(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${id}`;
      threads.set(id, { name: id === String(pid) ? 'main thread' : nameIn(folder), cpu: cpuIn(folder) });
    }
  }
  return threads;
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The process has ended.
    return [];
  }
}

function nameIn(folder: string): string {
  try {
    return readFileSync(`${folder}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
