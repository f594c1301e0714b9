import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TASK_CPU_MS } from '../../src/domain/temporal/timeouts.ts';
import { createFairLimiter } from '../../src/process/fair-limiter.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { engineSizing } from '../../packages/engine/src/sizing.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { inParallel } from '../lifecycle/jobs.ts';
import { largePhotograph, smallPhotograph } from '../photographs.ts';

const FILES = { small: 200, large: 20 };
const WARM_UP = 10;

/** Prints how many images a second the sandbox of one workflow worker inspects, with its permits and nothing else to do. */
export async function measureInspections(): Promise<void> {
  await using folder = await temporaryFolder();
  const { inspections } = engineSizing();
  const sandbox = createSandbox({ scratchDir: folder.path });
  console.log('\n| inspection of a photograph | at once | files/s | ms each |\n| --- | --- | --- | --- |');
  try {
    for (const [name, bytes, files, slots, cpuMs] of [
      ['0.4 megapixels', await smallPhotograph(), FILES.small, inspections.quick, TASK_CPU_MS.inspectImage],
      ['12 megapixels', await largePhotograph(), FILES.large, inspections.quick, TASK_CPU_MS.inspectImage],
    ] as const) {
      const inputPath = join(folder.path, name);
      await writeFile(inputPath, bytes);
      const options = { account: 'bench', limiter: createFairLimiter({ atOnce: slots }), cpuMs };
      const inspect = () => sandbox.run('inspect-image', { inputPath }, options);
      await inParallel(Array.from({ length: WARM_UP }), slots, inspect);
      const { seconds } = await inParallel(Array.from({ length: files }), slots, inspect);
      console.log(
        `| ${[name, slots, (files / seconds).toFixed(1), ((1000 * seconds * slots) / files).toFixed(1)].join(' | ')} |`,
      );
    }
  } finally {
    await sandbox.close();
  }
}
