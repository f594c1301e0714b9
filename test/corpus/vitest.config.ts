import { defineConfig } from 'vitest/config';

/** `npm run test:corpus`: real files that are not part of this repository, in the folder that BURNISH_TEST_CORPUS names. */
export default defineConfig({
  test: {
    include: ['test/corpus/*.corpus.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
