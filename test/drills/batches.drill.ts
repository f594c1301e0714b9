import '../setup/quiet-temporal.ts';
import { expect, test } from '@jest/globals';
import '../e2e/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { judgeBatch, runBatch } from './batches/run-batch.ts';

/* `npm run proof -- batch` runs larger batches, and `npm run bench:batch` measures their time. */

const ITEMS = 500;

test(`a batch of ${ITEMS} files loses and doubles none among kills of each process, in two calls`, async () => {
  await using folder = await temporaryFolder();
  const options = { items: ITEMS, samples: 20, killSeconds: 8, folder: folder.path };
  const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  const stopping = new AbortController();
  const stopAfterKill = (sentence: string): void => {
    said(sentence);
    if (sentence.includes('Temporal')) stopping.abort();
  };
  expect(await runBatch({ ...options, stop: stopping.signal, said: stopAfterKill })).toBeNull();
  const run = (await runBatch({ ...options, said }))!;
  const { kills, history, seconds, pieces } = run;
  said(JSON.stringify({ kills, history, seconds, predicted: run.batch.prediction }));
  expect([judgeBatch(run), pieces]).toEqual([{ lost: [], charged: [], untold: [], others: [] }, 2]);
  expect(kills).toEqual({
    decoder: expect.any(Number),
    Temporal: expect.any(Number),
    instance: expect.any(Number),
  });
  expect(Math.min(...Object.values(kills))).toBeGreaterThan(0);
}, 1_200_000);
