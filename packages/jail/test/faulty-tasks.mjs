import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, readSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Identifies this process, because process ids are equal in every jail. */
const child = randomUUID();

/** Keeps allocated memory reachable. @type {Buffer[]} */
const held = [];

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Tasks with the faults that hostile bytes can cause.
 * @type {Record<string, () => Promise<(input: any, context: any) => unknown>>}
 */
export const TASKS = {
  echo:
    async () =>
    (input, { onProgress, ...settings }) => ({ ...input, child, settings }),
  copy:
    async () =>
    ({ inputPath, outputPath }) =>
      writeFileSync(outputPath, readFileSync(inputPath)),
  look:
    async () =>
    ({ paths }) =>
      paths.filter((/** @type {string} */ path) => existsSync(path)),
  environment: async () => () => Object.keys(process.env).sort(),
  link:
    async () =>
    ({ outputPath, target }) =>
      symlinkSync(target, outputPath),
  tell:
    async () =>
    (_, { onProgress }) => {
      onProgress({ step: 'first', fraction: 0.5 });
      onProgress({ step: 'last', fraction: 2 });
    },
  loop: async () => () => {
    for (;;) Math.random();
  },
  hog: async () => async () => {
    for (;;) {
      held.push(Buffer.alloc(8_000_000, 1));
      await pause(5);
    }
  },
  /** Ends at once, and goes on computing, taking memory or writing. */
  linger:
    async () =>
    ({ takes }) => {
      /** @type {Record<string, () => unknown>} */
      const ways = {
        cpu: () => new Worker('for (;;) Math.random();', { eval: true }),
        memory: () => held.push(Buffer.alloc(8_000_000, 1)),
        disk: () => appendFileSync(join(String(process.env['TMPDIR']), 'more'), 'more'),
      };
      for (const way of takes) way === 'cpu' ? ways[way]?.() : setInterval(() => ways[way]?.(), 5);
    },
  /** Leaves files of the given names, tells its progress so often, and waits for so long. */
  leave:
    async () =>
    async ({ outputDir, names, messages, restMs }, { onProgress }) => {
      for (const name of names) writeFileSync(join(outputDir, name), name);
      for (let index = 0; index < messages; index += 1) onProgress({ step: `step ${index}`, fraction: 0 });
      await pause(restMs);
    },
  /** Reads from every descriptor that it may have. */
  descriptors: async () => () =>
    Array.from({ length: 64 }, (_, descriptor) => {
      const bytes = Buffer.alloc(40);
      try {
        return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, 40, 0));
      } catch {
        return '';
      }
    }).filter(Boolean),
  crash: async () => () => {
    process.kill(process.pid, 'SIGSEGV');
    return pause(60_000);
  },
  fail: async () => () => {
    throw new TypeError('a defect');
  },
  refuse: async () => () => {
    throw new RangeError('too long', { cause: new Error('of bytes') });
  },
};

/** @param {unknown} error */
export const describeError = (error) => (error instanceof RangeError ? { reason: error.message } : undefined);
