import base from './jest.config.mjs';

/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['<rootDir>/test/drills/**/*.drill.ts'],
  maxWorkers: 1,
  testTimeout: 300_000,
};
