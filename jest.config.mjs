import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of tests: that of the service, and those of the packages beside it. */
const packages = join(import.meta.dirname, 'packages');
const tests = ['test', ...readdirSync(packages).map((name) => `packages/${name}/test`)].filter((folder) =>
  existsSync(join(import.meta.dirname, folder)),
);
/** The file that scripts/test.mjs reads; absent where Jest runs by itself. */
const report = process.env['TEST_REPORT'];

/** @type {import('jest').Config} */
export default {
  // Each process reads a list of all files below.
  roots: tests.map((folder) => `<rootDir>/${folder}`),
  watchman: false,
  // By default in the folder of temporary files, which goes with the run. Jest begins with the files that took longest before.
  cacheDirectory: '<rootDir>/.cache/jest',
  testMatch: tests.map((folder) => `<rootDir>/${folder}/**/*.{test,full}.ts`),
  testEnvironment: '<rootDir>/test/setup/jest/native-environment.mjs',
  testEnvironmentOptions: { hookTimeoutMs: 120_000 },
  testRunner: '<rootDir>/test/setup/jest/native-modules.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/setup/jest/second-try.mjs'],
  injectGlobals: false,
  transform: {},
  reporters: ['default', ...(report === undefined ? [] : [['<rootDir>/scripts/test-report.mjs', { path: report }]])],
  // Files share three processes. A process that has grown beyond this is replaced after its file.
  workerIdleMemoryLimit: '1500MB',
  // One more than the cores that the suite is measured on: half of the files wait for a server, a worker or the engine under them.
  maxWorkers: 3,
  testTimeout: 60_000,
  // A process that ends frees the memory of databases and of Temporal's runtime first, which takes a busy machine longer than Jest's .5 s.
  workerGracefulExitTimeout: 10_000,
};
