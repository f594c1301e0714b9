import base from '../../jest.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/cluster/**/*.cluster.ts'],
  testEnvironmentOptions: { hookTimeoutMs: 900_000 },
  maxWorkers: 1,
  testTimeout: 180_000,
};
