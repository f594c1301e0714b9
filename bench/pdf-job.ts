import { resolvePdfParameters } from '@burnish/contract';
import { openPdfDocument } from '@burnish/pdf';
import { inspectStructure } from '../packages/engine/src/pdf/analyze/inspect.ts';
import { analyzePdf, enhancePdf } from '../packages/engine/src/pdf/enhance/enhance.ts';

/**
 * Measures one job of the bundled engine in a separate process. Prints its time, its CPU time and the longest time without progress,
 * all in milliseconds, and its peak of resident memory in MB.
 */
const [job, inputPath = '', outputPath = ''] = process.argv.slice(2);
const before = process.resourceUsage().maxRSS / 1000;
const start = performance.now();
let warmMs: number | undefined;
let [toldAt, silentMs] = [start, 0];
const onProgress = (): void => {
  const now = performance.now();
  silentMs = Math.max(silentMs, now - toldAt);
  toldAt = now;
};
if (job === 'structure') await structure();
else if (job === 'analyze') await analyzePdf({ inputPath, onProgress });
else await enhancePdf({ inputPath, outputPath, parameters: resolvePdfParameters({}, 300), onProgress });
onProgress();
const ms = performance.now() - start;
const cpuMs = (process.resourceUsage().userCPUTime + process.resourceUsage().systemCPUTime) / 1000;
const peakMb = process.resourceUsage().maxRSS / 1000;
if (job === 'structure') {
  for (let i = 0; i < 10; i += 1) await structure();
  const warmStart = performance.now();
  await structure();
  warmMs = performance.now() - warmStart;
}
console.log(JSON.stringify({ ms, cpuMs, silentMs, warmMs, startMb: before, peakMb }));

async function structure(): Promise<void> {
  const pdf = openPdfDocument(inputPath);
  await inspectStructure(pdf, {});
  pdf.close();
}
