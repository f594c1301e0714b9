import base from '../../jest.config.mjs';

/**
 * `npm run bench:hosted`: two real instances on this machine; one is the hosted service of the other.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/bench'],
  testMatch: ['<rootDir>/bench/hosted/*.bench.ts'],
  setupFilesAfterEnv: [],
  testEnvironmentOptions: { hookTimeoutMs: 300_000 },
  maxWorkers: 1,
  testTimeout: 900_000,
};
