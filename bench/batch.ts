import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { counted } from '@burnish/contract';
import { variationsOf } from '../test/drills/batches/pictures.ts';
import { judgeBatch, runBatch } from '../test/drills/batches/run-batch.ts';

/**
 * Runs a batch through an instance, and prints its figures beside the prediction of its samples.
 * `npm run bench:batch -- --items 2000 --kill 60` kills one process kind after the other, one each 60 seconds. With
 * `--folder <folder> --for <minutes>` it stops after that time, and the same command continues the run. `--pictures <folder>`
 * takes variations of the photographs there, and enlarges them, in place of tiny pictures.
 */
const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '500' },
    samples: { type: 'string', default: '20' },
    kill: { type: 'string', default: '0' },
    folder: { type: 'string' },
    for: { type: 'string' },
    pictures: { type: 'string' },
  },
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'burnish-bench-')));
await mkdir(folder, { recursive: true });
const stopping = new AbortController();
const stop = (): void => stopping.abort();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
if (values.for !== undefined) setTimeout(stop, 60_000 * Number(values.for)).unref();
const toWords = (loads: number[]): string => loads.map((each) => each.toFixed(1)).join(' ');
console.log(`${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
const loadBefore = toWords(loadavg());
try {
  const run = await runBatch({
    items: Number(values.items),
    samples: Number(values.samples),
    killSeconds: Number(values.kill),
    folder,
    ...(values.pictures !== undefined && {
      makePicture: await variationsOf(values.pictures),
      // Without an enlargement, a good photograph stays as it is and costs nothing.
      parameters: { upscalingFactor: 'X2' },
    }),
    stop: stopping.signal,
    said: (sentence) => void process.stderr.write(`${sentence}\n`),
  });
  if (run !== null) report(run);
} finally {
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
}

function report(run: NonNullable<Awaited<ReturnType<typeof runBatch>>>): void {
  const { batch, seconds, history } = run;
  const { credits, seconds: predictedSeconds, failures } = batch.prediction!;
  const percent = (measured: number, predicted: number): string => `${(100 * (measured / predicted - 1)).toFixed(0)} %`;
  const { items, finished, failed } = batch.counts;
  console.log(`load before ${loadBefore}, after ${toWords(loadavg())}`);
  console.log(
    `${items} items in ${counted(run.pieces, 'call')}: ${finished} finished, ${failed} failed (${failures} predicted)`,
  );
  console.log(`credits: ${batch.chargedCredits}, ${credits} predicted (${percent(batch.chargedCredits, credits)})`);
  console.log(`seconds: ${seconds.toFixed(1)}, ${predictedSeconds} predicted (${percent(seconds, predictedSeconds)})`);
  if (run.expectedSeconds !== null)
    console.log(
      `after a tenth of the items: ${run.expectedSeconds.toFixed(0)} seconds (${percent(seconds, run.expectedSeconds)})`,
    );
  const timed = items - batch.samples;
  const cpu = run.cpuMs === null ? '' : `, ${(run.cpuMs / timed).toFixed(0)} ms of CPU`;
  console.log(
    `${(timed / seconds).toFixed(1)} items a second: ${((1000 * seconds) / timed).toFixed(0)} ms${cpu} each; kills: ${JSON.stringify(run.kills)}`,
  );
  console.log(
    `longest history of the batch: ${history.events} events, ${history.bytes} bytes, of ${history.runs} runs`,
  );
  const faults = Object.values(judgeBatch(run)).flat();
  console.log(faults.length === 0 ? 'No item lost, none doubled.' : faults.join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
