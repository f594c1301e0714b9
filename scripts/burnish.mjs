#!/usr/bin/env node
import { runAsMain } from './process.mjs';
import { setup } from './setup.mjs';

// Runs the command in this process, so that signals and the exit code are its own.
await runAsMain(async () => {
  await setup({ quiet: true });
  await import('../dist/cli.js');
});
