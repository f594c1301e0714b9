import { defineConfig } from 'vitest/config';

/** `npm run screenshots`: pictures of the main pages for the documentation, of a real instance at work. */
export default defineConfig({
  test: {
    include: ['test/dashboard/*.shots.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
