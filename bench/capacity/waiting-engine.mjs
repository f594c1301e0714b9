import { copyFile } from 'node:fs/promises';
import { register } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { createPermits } from '../../dist/node_modules/@burnish/jail/index.js';

/*
 * `node --import bench/capacity/waiting-engine.mjs scripts/burnish.cjs worker` runs a worker whose engine waits in place of its work,
 * so that a few cores carry the workers of many. Files take their permits, and are read and stored, as in any worker.
 */
if (isMainThread) register(import.meta.url);

const WAITS_MS = {
  'inspect-image': Number(process.env['BENCH_INSPECTION_MS']),
  'enhance-image': Number(process.env['BENCH_ENGINE_MS']),
};
const FACTS = { width: 800, height: 533 };

/** A hook of Node's loader: workers get the sandbox of this module. */
export function resolve(specifier, context, next) {
  const isSandbox = specifier.endsWith('/sandbox/sandbox.js') && context.parentURL.endsWith('/start-workers.js');
  return isSandbox ? { url: import.meta.url, shortCircuit: true } : next(specifier, context);
}

export { createPermits };

export function createSandbox({ permits: own }) {
  return {
    async run(task, { inputPath, outputPath }, { account, signal, permits = own }) {
      await permits.acquire(account, signal);
      try {
        await delay(WAITS_MS[task], undefined, { signal });
        if (task === 'inspect-image') return { ...FACTS, hasAlpha: false, notes: [] };
        await copyFile(inputPath, outputPath);
        return { ...FACTS, mimetype: 'image/jpeg', steps: ['tone'], models: [], fellBack: false, notes: [] };
      } finally {
        permits.release(account);
      }
    },
    close: () => Promise.resolve(),
  };
}
