import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judgeBatch, runBatch } from '../test/drills/batches/run-batch.ts';

/**
 * Runs a batch of tiny pictures through an instance, and prints its figures beside the prediction of its samples.
 * `npm run bench:batch -- --items 2000 --kill 60` kills one process kind after the other, one each 60 seconds.
 */
const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '500' },
    samples: { type: 'string', default: '20' },
    kill: { type: 'string', default: '0' },
  },
});
const dataDir = await mkdtemp(join(tmpdir(), 'burnish-bench-'));
const toWords = (loads: number[]): string => loads.map((each) => each.toFixed(1)).join(' ');
console.log(`${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
const loadBefore = toWords(loadavg());
try {
  const run = await runBatch({
    items: Number(values.items),
    samples: Number(values.samples),
    killSeconds: Number(values.kill),
    dataDir,
    said: (sentence) => void process.stderr.write(`${sentence}\n`),
  });
  const { batch, seconds, history } = run;
  const { credits, seconds: predictedSeconds, failures } = batch.prediction!;
  const percent = (measured: number, predicted: number): string => `${(100 * (measured / predicted - 1)).toFixed(0)} %`;
  const { items, finished, failed } = batch.counts;
  console.log(`load before ${loadBefore}, after ${toWords(loadavg())}`);
  console.log(`${items} items: ${finished} finished, ${failed} failed (${failures} predicted)`);
  console.log(`credits: ${batch.chargedCredits}, ${credits} predicted (${percent(batch.chargedCredits, credits)})`);
  console.log(`seconds: ${seconds.toFixed(1)}, ${predictedSeconds} predicted (${percent(seconds, predictedSeconds)})`);
  console.log(`${((items - batch.samples) / seconds).toFixed(1)} items a second; kills: ${JSON.stringify(run.kills)}`);
  console.log(
    `longest history of the batch: ${history.events} events, ${history.bytes} bytes, of ${history.runs} runs`,
  );
  const faults = judgeBatch(run);
  console.log(faults.length === 0 ? 'No item lost, none doubled.' : faults.join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
