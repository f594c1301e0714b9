import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

/** Keeps 50 MB, lets 200 MB grow old and go, and prints the most that the heap held, in MB. */
const WORK = `
  const kept = Array.from({ length: 50 }, () => Array.from({ length: 50_000 }, (_, i) => i + 0.5));
  const waiting = [];
  let most = 0;
  for (let i = 0; i < 5_000; i += 1) {
    waiting.push(Array.from({ length: 5_000 }, (_, j) => j + 0.5));
    if (waiting.length > 300) waiting.shift();
    most = Math.max(most, process.memoryUsage().heapUsed);
  }
  console.log(Math.round(most / 1e6), kept.length);
`;

const heap = (before: string): number => {
  const script = `${before}\n${WORK}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  return Number.parseInt(execFileSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8' }), 10);
};

// Node.js 20 and 22 hold about 175 MB without the setting and 83 MB with it, Node.js 24 holds 112 and 110 MB.
test('a lean heap holds little beyond its live objects', () => {
  const lean = heap(`import { keepHeapLean } from './src/runtime/lean-heap.ts';\nkeepHeapLean();`);
  expect(lean).toBeLessThan(130);
});
