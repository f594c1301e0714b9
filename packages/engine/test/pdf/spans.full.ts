import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { assemblePdf, enhanceOrPlanPdf, enhancePdfSpan } from '../../src/pdf/enhance/enhance.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { qpdfComplaint } from './judges.ts';
import { flateImage, jpegImage, photograph } from './pictures.ts';
import { enhancePdf, HEIGHT, WIDTH, parametersOf } from './support.ts';

const scratch = await scratchFolder();
const photo = await jpegImage(photograph(WIDTH, HEIGHT));
describe('spans of a PDF', () => {
  const objects: Objects = onePage(
    [10, 11, 12, 13].map((n) => `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im${n} Do Q`).join(' '),
    `/XObject<<${[10, 11, 12, 13].map((n) => `/Im${n} ${n} 0 R`).join('')}>>`,
  );
  for (const n of [10, 11, 12, 13]) {
    const image = flateImage(photograph(WIDTH, HEIGHT, 3, n));
    objects[n] = { dict: `/Type/XObject/Subtype/Image ${image.dict}`, data: image.data };
  }

  const plan = (input: { inputPath: string; planPath: string; outputPath: string }, targetResolution = 144) =>
    enhanceOrPlanPdf({ ...input, parameters: parametersOf({ targetResolution }), oneGoPixels: 0 });

  async function planned(name: string, bytes = buildPdf(objects)) {
    const inputPath = scratch(`${name}.pdf`);
    writeFileSync(inputPath, bytes);
    const input = { inputPath, planPath: scratch(`${name}.plan`), outputPath: scratch(`${name}.out.pdf`) };
    expect(await plan(input)).toEqual({ images: 4, spans: [{ from: 0, to: 4 }] });
    return input;
  }

  it('that run separately give the same bytes as one run', async () => {
    const input = await planned('apart');
    const resultsDir = scratch('apart-results');
    await enhancePdfSpan({ ...input, images: [2, 3], outputDir: resultsDir });
    await enhancePdfSpan({ ...input, images: [0, 1], outputDir: resultsDir });
    const assembled = await assemblePdf({ ...input, resultsDir });
    const apart = readFileSync(input.outputPath);
    const whole = await enhancePdf({ ...input, parameters: parametersOf({ targetResolution: 144 }) });
    expect(assembled).toEqual(whole);
    expect(readFileSync(input.outputPath).equals(apart)).toBe(true);
  });

  it('continue after the last complete image, and repeat an incomplete one', async () => {
    const input = await planned('killed');
    const outputDir = scratch('killed-span');
    const done: string[] = [];
    await enhancePdfSpan({ ...input, images: [0, 1, 2, 3], outputDir });
    const names = (await readdir(outputDir)).sort().map((name) => join(outputDir, name));
    expect(names).toHaveLength(4);
    await rm(names[3]!);
    writeFileSync(names[2]!, readFileSync(names[2]!).subarray(0, 900));
    writeFileSync(`${names[1]!}.part`, 'left by a worker that was killed');
    await enhancePdfSpan({
      ...input,
      images: [0, 1, 2, 3],
      outputDir,
      onProgress: ({ step, fraction }) => done.push(`${step} ${fraction}`),
    });
    expect(done.at(-1)).toBe('images 1');
    // The two lost images are decoded and enlarged.
    for (const part of [0.5, 0.75])
      expect(done).toEqual(expect.arrayContaining([`images ${part}`, `images ${part + 0.7 / 4}`]));
    expect(await assemblePdf({ ...input, resultsDir: outputDir })).toMatchObject({ enhanced: 4 });
  });

  it('cannot be assembled while an image is missing, and leave no file', async () => {
    const input = await planned('missing');
    await enhancePdfSpan({ ...input, images: [0, 1, 2], outputDir: scratch('missing-span') });
    await expect(assemblePdf({ ...input, resultsDir: scratch('missing-span') })).rejects.toThrow('13 is missing');
    expect((await readdir(dirname(input.outputPath))).filter((name) => name.startsWith('missing.out'))).toEqual([]);
  });

  it('of a file with a wrong offset for a page read it in the same way', async () => {
    const text = buildPdf(objects).toString('latin1');
    const at = String(text.indexOf('3 0 obj')).padStart(10, '0');
    const input = await planned(
      'misplaced',
      Buffer.from(text.replace(`${at} 00000 n`, '0000000017 00000 n'), 'latin1'),
    );
    const outputDir = scratch('misplaced-span');
    await enhancePdfSpan({ ...input, images: [0, 1, 2, 3], outputDir });
    const result = await assemblePdf({ ...input, resultsDir: outputDir });
    expect(result).toMatchObject({ enhanced: 4, notes: [{ code: 'STRUCTURE_REPAIRED' }] });
    expect(qpdfComplaint(input.outputPath)).toBe('');
  });

  it('do not use the results of another plan', async () => {
    const input = await planned('replanned');
    const outputDir = scratch('replanned-span');
    await enhancePdfSpan({ ...input, images: [0, 1, 2, 3], outputDir });
    await plan(input, 200);
    await expect(assemblePdf({ ...input, resultsDir: outputDir })).rejects.toThrow('10 is missing');
  });

  it('refuse the plan of another file', async () => {
    const input = await planned('foreign');
    writeFileSync(input.inputPath, buildPdf(imagePage(photo, WIDTH, HEIGHT)));
    await expect(enhancePdfSpan({ ...input, images: [0], outputDir: scratch('foreign-span') })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });

  it('stop when they are cancelled, and leave no file', async () => {
    const input = await planned('cancelled');
    await mkdir(scratch('alone'));
    const cancel = new AbortController();
    const run = enhancePdf({
      ...input,
      outputPath: scratch('alone/out.pdf'),
      parameters: parametersOf({ targetResolution: 144 }),
      signal: cancel.signal,
      onProgress: ({ step, fraction }) => {
        if (step === 'images' && fraction > 0.4) cancel.abort(new Error('enough'));
      },
    });
    await expect(run).rejects.toThrow('enough');
    expect(await readdir(scratch('alone'))).toEqual([]);
  });
});
