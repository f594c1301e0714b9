import '../setup/quiet-temporal.ts';
import { expect, test } from '@jest/globals';
import '../e2e/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { judgeBatch, runBatch } from './batches/run-batch.ts';

/* `npm run bench:batch` runs larger batches, and measures their time. */

const ITEMS = 500;

test(`a batch of ${ITEMS} files loses and doubles none among kills of each process`, async () => {
  await using folder = await temporaryFolder();
  const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  const run = await runBatch({ items: ITEMS, samples: 20, killSeconds: 8, dataDir: folder.path, said });
  const { kills, history, seconds } = run;
  said(JSON.stringify({ kills, history, seconds, predicted: run.batch.prediction }));
  expect(judgeBatch(run)).toEqual([]);
  expect(kills).toEqual({
    decoder: expect.any(Number),
    Temporal: expect.any(Number),
    instance: expect.any(Number),
  });
  expect(Math.min(...Object.values(kills))).toBeGreaterThan(0);
}, 1_200_000);
