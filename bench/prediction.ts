import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Burnish } from '@burnish/client';
import { variationsOf, servePictures } from '../test/drills/batches/pictures.ts';
import { batchSettings } from '../test/drills/batches/run-batch.ts';
import { freePorts, startInstance } from '../test/support/instance.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { until } from '../test/support/until.ts';

/**
 * Runs batches one after the other on one instance, and prints the measured time of each beside the prediction of its samples.
 * The first batch is that of a new instance, so the others count. `npm run bench:prediction -- --samples 20,20,20,100,100` has
 * five batches with these samples. `--pictures <folder>` takes variations of the photographs there, and enlarges them.
 */
const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '20,20,20,20,100,100' },
    items: { type: 'string', default: '500' },
    pictures: { type: 'string' },
  },
});
const items = Number(values.items);
const makePicture = values.pictures === undefined ? undefined : await variationsOf(values.pictures);
await using pictures = await servePictures(makePicture);
await using folder = await temporaryFolder();
console.log(`${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
console.log(`load before ${loadavg()[0]!.toFixed(1)}`);
const instance = await startInstance({ dataDir: folder.path, ports: await freePorts(), env: batchSettings(pictures) });
try {
  const { batches } = new Burnish({ baseUrl: instance.url, apiKey: instance.apiKey });
  const parameters = makePicture ? ({ upscalingFactor: 'X2' } as const) : {};
  for (const [index, samples] of values.samples.split(',').map(Number).entries()) {
    const { id } = await batches.create({ samples, parameters });
    await batches.add(
      id,
      Array.from({ length: items }, (_, item) => ({ url: `${pictures.url}/${index * items + item}.jpg` })),
    );
    await batches.close(id);
    const reached = (status: string) =>
      until(
        () => batches.get(id),
        (batch) => batch.status === status,
        { pauseMs: 250 },
      );
    const { prediction } = await reached('APPROVAL_NEEDED');
    const approvedAt = performance.now();
    await batches.approve(id);
    await reached('FINISHED');
    const seconds = (performance.now() - approvedAt) / 1000;
    const off = (100 * (prediction!.seconds / seconds - 1)).toFixed(0);
    console.log(
      `${samples} samples of ${items}: ${seconds.toFixed(1)} seconds, ${prediction!.seconds} predicted (${off} %)`,
    );
  }
} finally {
  await instance.killTree();
}
