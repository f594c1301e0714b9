import { availableParallelism, totalmem } from 'node:os';
import { CHILD_MEMORY_BYTES } from './limits.ts';

export interface EngineSizing {
  /**
   * Files at once: of work of a second or two, and of larger work. Large work never delays the others
   */
  files: { quick: number; large: number };
  /**
   * Inspections at once, besides the files: of images that decode within a second, and of larger ones. A large one never delays
   * the others
   */
  inspections: { quick: number; large: number };
  vipsThreads: number;
  /** Threads of the libuv pool inside one child, which start sharp's work and read files */
  poolThreads: number;
  neuralThreads: number;
  /** Resident memory of one child, bytes */
  memoryLimitBytes: number;
  /** Resident memory of all idle children beyond one for each large file, bytes */
  idleMemoryBytes: number;
}

/**
 * Memory of the machine, or of the container if it has less, bytes. A jailed child can read neither and receives the
 * number from its parent.
 */
export const MEMORY_HERE = Number(process.env['ENGINE_MEMORY_BYTES']) || memoryHere();

/**
 * Divides the machine among the engine's parts, for all of them. One thread does most of the work on a file, so there
 * is one child per core for large files, within the memory, and as many for those that need little of it. libvips gets a second thread where it can overlap decoding.
 */
export function engineSizing(cores = availableParallelism(), memoryBytes = MEMORY_HERE): EngineSizing {
  const byMemory = Math.floor((memoryBytes * 0.8) / CHILD_MEMORY_BYTES);
  const slots = Math.max(1, Math.min(cores, byMemory));
  return {
    files: { quick: Math.max(2, slots), large: slots },
    inspections: { quick: Math.max(2, slots), large: Math.max(1, Math.floor(slots / 2)) },
    vipsThreads: 1,
    poolThreads: 2,
    neuralThreads: Math.max(1, Math.floor(cores / slots)),
    memoryLimitBytes: CHILD_MEMORY_BYTES,
    idleMemoryBytes: memoryBytes * 0.1,
  };
}

function memoryHere(): number {
  // Without a container limit this is 0, or more than any machine has.
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
