#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { run, runAsMain } from './process.mjs';
import { root } from './setup.mjs';

const FLAG = '--temporal-cluster';

/**
 * `npm run test:cluster -- [--temporal-cluster] <path or Jest option> ...`: Burnish in several processes. Temporal is its
 * development server, or the one in TEMPORAL_ADDRESS, or, with the flag, two nodes built from source.
 */
await runAsMain(async () => {
  const words = process.argv.slice(2);
  const test = fileURLToPath(new URL('test.mjs', import.meta.url));
  const others = words.filter((word) => word !== FLAG);
  const { code } = await run(process.execPath, [test, '--config', 'test/cluster/jest.config.mjs', ...others], {
    cwd: root,
    env: words.includes(FLAG) ? { ...process.env, TEST_TEMPORAL_CLUSTER: '1' } : process.env,
  });
  process.exitCode = code;
});
