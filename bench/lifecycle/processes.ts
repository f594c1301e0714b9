import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { commandLine, processTree } from '../../test/e2e/processes.ts';

/** Clock ticks per second in /proc, proc_pid_stat(5); 100 on every current Linux. */
const TICKS = 100;

/** Parts of an instance: its own process, the embedded Temporal server, and the children that decode and enhance. */
export type Part = 'burnish' | 'temporal' | 'engine' | 'other';

/** Sums a figure of the processes of each part of a process tree. */
export function sumByPart(pid: number, figure: (pid: number) => number): Record<Part, number> {
  const sums = { burnish: 0, temporal: 0, engine: 0, other: 0 };
  for (const each of processTree(pid)) sums[partOf(commandLine(each))] += figure(each.pid);
  return sums;
}

/**
 * Returns a reader of the CPU milliseconds of each part of a process tree. It counts a process that has ended up to the last
 * reading before its end, since a decoder may end between two files.
 */
export function createCpuReader(pid: number): () => Record<Part, number> {
  const seen = new Map<number, { part: Part; ms: number }>();
  return () => {
    for (const each of processTree(pid)) seen.set(each.pid, { part: partOf(commandLine(each)), ms: cpuOf(each.pid) });
    const sums = { burnish: 0, temporal: 0, engine: 0, other: 0 };
    for (const { part, ms } of seen.values()) sums[part] += ms;
    return sums;
  };
}

/** Returns a reader of the CPU milliseconds of all parts of several process trees together. @param roots their process ids */
export function createTotalCpuReader(roots: readonly number[]): () => number {
  const readers = roots.map(createCpuReader);
  return () => readers.flatMap((read) => Object.values(read())).reduce((sum, each) => sum + each, 0);
}

/** CPU milliseconds of one process, user and system; 0 after its exit. */
export const cpuOf = (pid: number): number => cpuIn(`/proc/${pid}`);

/** The same of a process or a thread, by its folder in /proc. */
export function cpuIn(folder: string): number {
  const stat = read(`${folder}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(14 - 3, 16 - 3);
  return (ticks.reduce((sum, each) => sum + Number(each), 0) * 1000) / TICKS;
}

/** Resident megabytes of one process; 0 after its exit. */
export function residentMegabytes(pid: number): number {
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024) / 1e6;
}

/**
 * Open descriptors of one process, without the files of tables and indexes, which PostgreSQL keeps open; 0 after its
 * exit.
 */
export function openDescriptors(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).filter((name) => !/\/database\/(base|global)\//.test(target(`${folder}/${name}`)))
      .length;
  } catch {
    return 0;
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function partOf(command: string): Part {
  if (command.includes('jail-child')) return 'engine';
  if (command.includes('server start-dev')) return 'temporal';
  return /cli\.js|burnish\.cjs/.test(command) ? 'burnish' : 'other';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
