#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

// The threads for files, instead of four: syncs to a busy disk hold theirs for a second, and reads would wait for them. libuv
// starts its threads as the first module of the other kind loads, so this file is CommonJS.
process.env.UV_THREADPOOL_SIZE ??= '24';

// Runs the command in this process, so that signals and the exit code are its own.
void (async () => {
  const { checkNode, checkSystem, runAsMain } = await import('./process.mjs');
  await runAsMain(async () => {
    checkNode(process.versions.node);
    checkSystem();
    // A clone installs its packages and builds. The package from npm is complete, and has no such module.
    if (existsSync(join(__dirname, 'setup.mjs'))) await (await import('./setup.mjs')).setup({ quiet: true });
    await import('../dist/cli.js');
  });
})();
