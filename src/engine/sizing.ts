import { availableParallelism, totalmem } from 'node:os';
import { CHILD_MEMORY_BYTES } from './limits.ts';

export interface EngineSizing {
  /** Files at once; also the slots that a worker should offer for engine work */
  slots: number;
  /** Threads of libvips inside one child */
  vipsThreads: number;
  /** Threads of the libuv pool inside one child: they start sharp's work and read files */
  poolThreads: number;
  /** Threads of a neural network inside one child */
  neuralThreads: number;
  /** Resident memory of one child, bytes */
  memoryLimitBytes: number;
}

/** Memory of the machine, or of the container if it has less, bytes. A child in a jail receives the number, because it can read neither. */
export const MEMORY_HERE = Number(process.env['ENGINE_MEMORY_BYTES']) || memoryHere();

/**
 * The one place that divides the machine among the engine's parts. A file is mostly worked on by one thread, so
 * there is a child a core, as far as memory goes; libvips gets a second thread where it can overlap decoding.
 */
export function engineSizing(cores = availableParallelism(), memoryBytes = MEMORY_HERE): EngineSizing {
  const byMemory = Math.floor((memoryBytes * 0.8) / CHILD_MEMORY_BYTES);
  const slots = Math.max(1, Math.min(cores, byMemory));
  return {
    slots,
    vipsThreads: 1,
    poolThreads: 2,
    neuralThreads: Math.max(1, Math.floor(cores / slots)),
    memoryLimitBytes: CHILD_MEMORY_BYTES,
  };
}

function memoryHere(): number {
  // Without a limit this is 0, or more than any machine has.
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
