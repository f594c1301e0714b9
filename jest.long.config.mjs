import base from './jest.config.mjs';

/** scripts/test-long.mjs selects the suite. */
const suite = process.env['TEST_SUITE'] ?? '{nightly,drill,cluster,containers,corpus,packages,shots}';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: base.roots.map((folder) => `${folder}/**/*.${suite}.ts`),
  testEnvironmentOptions: { hookTimeoutMs: 300_000 },
  maxWorkers: 1,
  testTimeout: 300_000,
};
