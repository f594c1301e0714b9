/**
 * Measures one job of the built code in a separate process. Prints its time, its CPU time and the longest time without progress,
 * all in milliseconds, and its peak of resident memory in MB.
 */
const dist = new URL('../dist/', import.meta.url).href;
const { analyzePdf, enhanceOrPlanPdf } = await import(`${dist}engine/pdf/enhance/enhance.js`);
const { inspectStructure } = await import(`${dist}engine/pdf/analyze/inspect.js`);
const { openPdfDocument } = await import(`${dist}node_modules/@burnish/pdf/index.js`);
const { resolvePdfParameters } = await import(`${dist}engine/contract/parameters.js`);

const [job, inputPath, outputPath] = process.argv.slice(2);
const before = process.resourceUsage().maxRSS / 1000;
const start = performance.now();
let warmMs;
let [toldAt, silentMs] = [start, 0];
const onProgress = () => {
  const now = performance.now();
  silentMs = Math.max(silentMs, now - toldAt);
  toldAt = now;
};
if (job === 'structure') await structure();
else if (job === 'analyze') await analyzePdf({ inputPath });
else {
  const parameters = resolvePdfParameters({}, 300);
  // One run for any size, so that there is never a plan to write.
  const oneRun = { oneGoPixels: Infinity, planPath: '/dev/null' };
  await enhanceOrPlanPdf({ inputPath, outputPath, parameters, onProgress, ...oneRun });
}
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

async function structure() {
  const pdf = openPdfDocument(inputPath);
  await inspectStructure(pdf, {});
  pdf.close();
}
