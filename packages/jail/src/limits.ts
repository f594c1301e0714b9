import { availableParallelism } from 'node:os';

/** Bytes of one file that a child may write; a result is at most a few times as large as the largest input. */
export const MAX_FILE_BYTES = 8 * 1024 ** 3;

export const MAX_OPEN_FILES = 1024;

/** Files that a child may leave after a task. With more, it is ended, and its folder removed by a program of the system. */
export const MAX_LEFT_FILES = 1_000;

/** Milliseconds between two collections of complete files from a child that still works, however often it reports progress. */
export const COLLECTION_MS = 1_000;

/** Threads of a jail that no task reaches: Node.js, its pool and native libraries have some tens on a machine with few cores. */
export const MAX_THREADS = 128 + 8 * availableParallelism();

/** Bytes of warnings that a child may write in its life. Only the last are kept. */
export const MAX_STDERR_BYTES = 64 * 1024 ** 2;

/** Messages that a child may send at once, and further ones for each second. A child reports progress ten times a second. */
export const MESSAGES_AT_ONCE = 1_000;
export const MESSAGES_PER_SECOND = 100;

/** Milliseconds after which a child that is not ready counts as broken. */
export const CHILD_START_TIMEOUT_MS = 30_000;

/** Maximum length in characters of a cause for logs, and of the id of a task. */
export const MAX_CAUSE_LENGTH = 8_000;
export const MAX_ID_LENGTH = 100;

/** Bytes of resident memory of one child, and milliseconds of CPU time of one task, unless the caller says otherwise. */
export const DEFAULT_MEMORY_BYTES = 1_000_000_000;
export const DEFAULT_CPU_MS = 60_000;

/** MiB of the JavaScript heap of a child. It does not contain buffers. */
export const DEFAULT_HEAP_MIB = 512;

/** Milliseconds without CPU time after which a child counts as stopped. No file keeps a disk busy for so long without any computation. */
export const DEFAULT_STALLED_MS = 60_000;

/** Tasks after which a child is replaced, so that leaks of memory do not accumulate. */
export const DEFAULT_TASKS_PER_CHILD = 1_000;

/** Milliseconds after which a child without a task ends, so that its memory returns to the machine. */
export const DEFAULT_IDLE_MS = 60_000;

/** A task that takes so many times its CPU time, and a minute, was starved by the machine. */
const STARVED_FACTOR = 6;
export const defaultWallMs = (cpuMs: number): number => Math.max(60_000, STARVED_FACTOR * cpuMs);
