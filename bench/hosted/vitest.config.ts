import { defineConfig } from 'vitest/config';

/** `npm run bench:hosted`: two real instances on this machine, one served by the other. */
export default defineConfig({
  test: {
    include: ['bench/hosted/*.bench.ts'],
    globalSetup: ['test/setup/temporal.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
