#!/usr/bin/env node
import { run, runAsMain } from './process.mjs';
import { root, setup } from './setup.mjs';
import { fileURLToPath } from 'node:url';

/** `npm run test:drill`: the long drills (kills at many moments, a full disk), sequentially. */
await runAsMain(async () => {
  await setup({ quiet: true });
  const jest = fileURLToPath(new URL('bin/jest.js', import.meta.resolve('jest/package.json')));
  const config = fileURLToPath(new URL('../jest.drill.config.mjs', import.meta.url));
  const { code } = await run(process.execPath, [jest, '--config', config, ...process.argv.slice(2)], { cwd: root });
  process.exitCode = code;
});
