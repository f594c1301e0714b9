import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { assemblePdf, enhanceOrPlanPdf, enhancePdfSpan } from '../../src/pdf/enhance/enhance.ts';
import { verifyOutput } from '../../src/pdf/enhance/verify.ts';
import { readPlan } from '../../src/pdf/analyze/plan.ts';
import { openPdfDocument } from '@burnish/pdf';
import { toRequestKey, readResult, type StoredResult } from '../../src/pdf/enhance/result-file.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { jpegImage, photograph } from './pictures.ts';
import { DOUBLED, HEIGHT, WIDTH } from './support.ts';

const scratch = await scratchFolder();

/** Two photographs, enhanced but for being put together. */
async function enhancedImages(name: string, parameters = DOUBLED) {
  const content = [10, 11].map((n) => `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im${n} Do Q`).join(' ');
  const objects: Objects = onePage(content, '/XObject<</Im10 10 0 R/Im11 11 0 R>>');
  for (const n of [10, 11]) {
    const { dict, data } = await jpegImage(photograph(WIDTH, HEIGHT, 3, n));
    objects[n] = { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
  }
  const [inputPath, planPath, outputPath] = [
    scratch(`${name}.pdf`),
    scratch(`${name}.plan`),
    scratch(`${name}.out.pdf`),
  ];
  writeFileSync(inputPath, buildPdf(objects));
  const input = { inputPath, planPath, outputPath };
  await enhanceOrPlanPdf({ ...input, parameters, oneGoPixels: 0 });
  const resultsDir = scratch(`${name}-results`);
  await enhancePdfSpan({ ...input, images: [0, 1], outputDir: resultsDir });
  return { ...input, resultsDir };
}

describe('the check of an enhanced PDF', () => {
  async function checked(change: (text: string) => string): Promise<void> {
    const { inputPath, planPath, outputPath, resultsDir } = await enhancedImages('checked');
    await assemblePdf({ inputPath, planPath, outputPath, resultsDir });
    writeFileSync(outputPath, Buffer.from(change(readFileSync(outputPath, 'latin1')), 'latin1'));
    const pdf = openPdfDocument(inputPath);
    try {
      const plan = await readPlan(planPath, pdf);
      const results = plan.work.map((work, i) => readResult(join(resultsDir, String(i)), toRequestKey(plan, work)));
      const objects = ((await Promise.all(results)) as StoredResult[]).flatMap((result) => result.objects);
      await verifyOutput(outputPath, plan.facts, objects, {});
    } finally {
      pdf.close();
    }
  }
  const newest = (text: string, from: string, to: string): string => {
    const at = text.lastIndexOf(from);
    return text.slice(0, at) + to + text.slice(at + from.length);
  };

  it('accepts a valid result', async () => {
    await expect(checked((text) => text)).resolves.toBeUndefined();
  });

  it.each<[string, (text: string) => string]>([
    ['a page less', (text) => newest(newest(text, '/Kids[3 0 R]', '/Kids[     ]'), '/Type/Page/', '/Type/None/')],
    ['an image less', (text) => newest(text, '/Im11 Do', '        ')],
    ['an image of another size', (text) => newest(text, '\x08\x00\xb4\x00\xf0', '\x08\x00\xb4\x00\x78')],
    ['an image that is cut off', (text) => newest(text, '\nendstream', '')],
    ['cross-reference data that does not hold', (text) => newest(text, 'startxref', 'startxxxx')],
  ])('refuses a result with %s', async (_, change) => {
    await expect(checked(change)).rejects.toMatchObject({ message: expect.any(String) as unknown as string });
  });
});

it('a file that would be larger than the limit is refused before the work', async () => {
  const input = await enhancedImages('huge', { ...DOUBLED, maxGrowth: 1_000_000_000 });
  for (const name of await readdir(input.resultsDir)) {
    // Results of 5 GB each, which take no place on the disk.
    const path = join(input.resultsDir, name);
    const text = readFileSync(path).toString('latin1', 12);
    const header = text.slice(0, text.indexOf('}]}}') + 4).replace(/"bytes":\d+/, '"bytes":5000000000');
    const file = await open(path, 'r+');
    await file.write(String(header.length).padStart(12) + header, 0);
    await file.close();
    await truncate(path, 12 + header.length + 5_000_000_000);
  }
  await mkdir(scratch('huge-out'));
  const run = assemblePdf({ ...input, outputPath: scratch('huge-out/out.pdf') });
  await expect(run).rejects.toMatchObject({
    code: 'PROCESSING_LIMIT',
    message: 'The PDF has more than 8,000,000,000 bytes once it is enhanced.',
  });
  expect(await readdir(scratch('huge-out'))).toEqual([]);
});
