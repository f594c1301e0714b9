#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { run, runAsMain, SetupError } from './process.mjs';
import { root, setup } from './setup.mjs';

const TEMPORAL_CLUSTER = '--temporal-cluster';

/**
 * `npm run test:drill -- [--temporal-cluster] <path or Jest option> ...`, and so `test:nightly`, `test:cluster`, `test:containers`,
 * `test:corpus`, `test:packages` and `screenshots`: one of the long suites, file by file. With the flag, Temporal is a cluster of two nodes,
 * which is built from source before the suite.
 */
await runAsMain(async () => {
  const [suite, ...words] = process.argv.slice(2);
  const needsCluster = words.includes(TEMPORAL_CLUSTER);
  if (needsCluster) {
    await setup({ quiet: true });
    const build = ['--import', 'tsx', 'test/cluster/build-temporal.ts'];
    if ((await run(process.execPath, build, { cwd: root })).code !== 0)
      throw new SetupError('Temporal could not be built; the reasons are above.');
  }
  const test = fileURLToPath(new URL('test.mjs', import.meta.url));
  const others = words.filter((word) => word !== TEMPORAL_CLUSTER);
  const { code } = await run(process.execPath, [test, '--config', 'jest.long.config.mjs', ...others], {
    cwd: root,
    env: { ...process.env, TEST_SUITE: suite, ...(needsCluster ? { TEST_TEMPORAL_CLUSTER: '1' } : {}) },
  });
  process.exitCode = code;
});
