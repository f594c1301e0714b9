import base from '../../jest.config.mjs';

/**
 * `npm run screenshots`: pictures of the main pages for the documentation, of a real instance at work.
 *
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/dashboard/*.shots.ts'],
  setupFilesAfterEnv: [],
  testEnvironmentOptions: { hookTimeoutMs: 300_000 },
  maxWorkers: 1,
  testTimeout: 300_000,
};
