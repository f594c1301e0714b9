/** Measures one job of the built code in a separate process. Prints its time in milliseconds and its peak of resident memory in MB. */
const dist = new URL('../dist/', import.meta.url).href;
const { analyzePdf, enhancePdf } = await import(`${dist}engine/pdf/enhance/enhance.js`);
const { inspectStructure } = await import(`${dist}engine/pdf/analyze/inspect.js`);
const { openPdfDocument } = await import(`${dist}engine/pdf/document/pdf-document.js`);
const { resolvePdfParameters } = await import(`${dist}domain/enhancement/parameters.js`);

const [job, inputPath, outputPath] = process.argv.slice(2);
const before = process.resourceUsage().maxRSS / 1000;
const start = performance.now();
let warmMs;
if (job === 'structure') await structure();
else if (job === 'analyze') await analyzePdf({ inputPath });
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

async function structure() {
  const pdf = openPdfDocument(inputPath);
  await inspectStructure(pdf, {});
  pdf.close();
}
