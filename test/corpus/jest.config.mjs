import base from '../../jest.config.mjs';

/**
 * `npm run test:corpus`: real files that are not part of this repository, in the folder that BURNISH_TEST_CORPUS names.
 *
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/corpus/*.corpus.ts'],
  setupFilesAfterEnv: [],
  testEnvironmentOptions: { hookTimeoutMs: 300_000 },
  maxWorkers: 1,
  testTimeout: 300_000,
};
