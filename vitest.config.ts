import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Its packages load the one that Node.js finds; a second copy beside it, for bundlers, would know none of their schemas.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/temporal.ts'],
    // A process of its own for each file: servers, native code and signal handlers stay apart.
    pool: 'forks',
    // Many files have a server, a worker and the engine under them.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // Thousands of tests on real servers share a machine that is not ours. Who needed the second try is named at the end.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // What is polled comes at once on a quiet machine; a busy one may take its time.
    expect: { poll: { timeout: 20_000 } },
  },
});
