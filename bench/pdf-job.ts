import { resolvePdfParameters } from '../src/domain/parameters.ts';
import { analyzePdf, enhancePdf } from '../src/engine/pdf/enhance.ts';
import { inspectStructure } from '../src/engine/pdf/inspect.ts';
import { openObjectStore } from '../src/engine/pdf/object-store.ts';

/** One measured job in a process of its own: prints its time in milliseconds and its peak of resident memory in MB. */
const [job, inputPath, outputPath] = process.argv.slice(2) as [string, string, string];
const before = process.resourceUsage().maxRSS / 1000;
const start = performance.now();
let warmMs: number | undefined;
if (job === 'structure') {
  await structure();
} else if (job === 'analyze') await analyzePdf({ inputPath });
else await enhancePdf({ inputPath, outputPath, parameters: resolvePdfParameters({}, 300) });
const ms = performance.now() - start;
const peakMb = process.resourceUsage().maxRSS / 1000;
if (job === 'structure') {
  for (let i = 0; i < 10; i += 1) await structure();
  const warmStart = performance.now();
  await structure();
  warmMs = performance.now() - warmStart;
}
console.log(JSON.stringify({ ms, warmMs, startMb: before, peakMb }));

async function structure(): Promise<void> {
  const store = openObjectStore(inputPath);
  await inspectStructure(store, {});
  store.close();
}
