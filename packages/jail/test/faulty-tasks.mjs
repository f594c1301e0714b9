import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';

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
