import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';

const sdk = createRequire(import.meta.url);

/**
 * What src/runtime/workflow-threads.ts replaces or depends on. A new SDK may make threads in another way, or pass no time limit: compare
 * its files with that one, then change the digests.
 */
const KNOWN = {
  'threaded-vm.js': 'c0c76241f3c3e25b39fed3893035370188088b95b0f276ec4e423aec8c912d3b',
  'workflow-worker-thread.js': '90673d5b74aa51fdf66e4435c8f73d8a003e892ec9826866fe07ef6251089052',
  'reusable-vm.js': '1f6ec7d347dee4b48fc8ca14a1c3dd7ed1c82abd45175669e13c78aa1164ec68',
};

test.each(Object.entries(KNOWN))('the SDK has the %s that our threads of workflow code replace', (name, digest) => {
  const path = sdk.resolve(`@temporalio/worker/lib/workflow/${name}`);
  expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(digest);
});
