#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { checkNode, runAsMain } from './process.mjs';

// Runs the command in this process, so that signals and the exit code are its own.
await runAsMain(async () => {
  checkNode(process.versions.node);
  // A clone installs its packages and builds. The package from npm is complete, and has no such module.
  const setup = new URL('setup.mjs', import.meta.url);
  if (existsSync(setup)) await (await import(setup.href)).setup({ quiet: true });
  await import('../dist/cli.js');
});
