import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { type Worker, type WorkerOptions } from 'node:worker_threads';

/** What the disk of the database's threads refuses, in every thread from the next operation on. */
export type Fault =
  /** Every operation fails with this code: writes and syncs, and reads, too, with EIO. */
  | 'EIO'
  | 'EROFS'
  /** No file can be created: the disk has no inode left. */
  | 'ENOSPC'
  /** The present thread alone believes that files exist which it has to create. */
  | 'EEXIST';

const FAULTS: readonly Fault[] = ['EIO', 'EROFS', 'ENOSPC', 'EEXIST'];

/** Runs first in each thread. The shared numbers are the fault, and the thread that it concerns, or 0 for all. */
const BREAK_FILES = `{
  const fs = require('node:fs');
  const { workerData: { shared, number, faults } } = require('node:worker_threads');
  const refuse = (name, codes, concerns = () => true) => {
    const real = fs[name];
    fs[name] = (...args) => {
      const code = faults[shared[0] - 1];
      const isHere = shared[1] === 0 || shared[1] === number;
      if (isHere && codes.includes(code) && concerns(...args)) throw Object.assign(new Error(code), { code, path: args[0] });
      return real(...args);
    };
  };
  for (const name of ['fsyncSync', 'writeSync', 'ftruncateSync', 'renameSync', 'unlinkSync']) refuse(name, ['EIO', 'EROFS']);
  refuse('readSync', ['EIO']);
  refuse('openSync', ['EIO']);
  refuse('openSync', ['EROFS'], (path, flags) => flags !== fs.constants.O_RDONLY);
  refuse('mkdirSync', ['EIO', 'EROFS', 'ENOSPC', 'EEXIST']);
  refuse('writeFileSync', ['EIO', 'EROFS', 'ENOSPC', 'EEXIST']);
}
`;

export interface FaultyThreads {
  /** Number of threads that were started */
  count(): number;
  /** The latest thread */
  latest(): Worker;
  setFault(fault: Fault | undefined): void;
  restore(): void;
}

/** Gives the threads of the embedded database files that the test can break, as a faulty disk does. */
export function breakableThreads(): FaultyThreads {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const threads: Worker[] = [];
  // The imported name follows the replacement.
  const RealWorker = workerThreads.Worker;
  Object.assign(workerThreads, {
    Worker: class extends RealWorker {
      constructor(code: string, options: WorkerOptions) {
        const data = { ...(options.workerData as object), shared, number: threads.length + 1, faults: FAULTS };
        super(BREAK_FILES + code, { ...options, workerData: data });
        threads.push(this);
      }
    },
  });
  syncBuiltinESMExports();
  return {
    count: () => threads.length,
    latest: () => threads.at(-1)!,
    setFault(fault) {
      shared[1] = fault === 'EEXIST' ? threads.length : 0;
      shared[0] = fault === undefined ? 0 : FAULTS.indexOf(fault) + 1;
    },
    restore() {
      Object.assign(workerThreads, { Worker: RealWorker });
      syncBuiltinESMExports();
    },
  };
}
