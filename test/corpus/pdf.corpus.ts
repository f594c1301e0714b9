import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from '@jest/globals';
import { priceFindings, priceOfPdf } from '@burnish/contract';
import { createContentWalker } from '../../packages/engine/src/pdf/pages/content-walker.ts';
import { analyzePdf, estimatePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { computeResolution, enhancePdf } from '../../packages/engine/test/pdf/support.ts';
import { isStream, openPdfDocument, walkPages } from '@burnish/pdf';
import { drawsOfPage } from '../../packages/engine/src/pdf/pages/page-draws.ts';
import { listWork } from '../../packages/engine/src/pdf/analyze/work.ts';
import { DIFFERENCES, corpusFolder, expectedFiles, type ListedImage } from './expected.ts';
import { listImages, psnrOf, qpdfCheck, render, requireJudges, textOf } from './judges.ts';
import { DEFAULTS, RESIZE, drawnAt100Dpi } from './variants.ts';
import { expectNamed } from '../support/expect-named.ts';
import { testUnless } from '../support/needs.ts';

requireJudges();
const folder = corpusFolder();
const scratch = mkdtempSync(join(tmpdir(), 'burnish-corpus-'));
/** How alike each page is drawn before and after, dB, by file and page. */
const worst = new Map<string, number>();
/** Without a limit on the growth of the file, which would make some images smaller. */
const EXACT = { ...RESIZE, maxGrowth: 1000 };
const totals = { files: 0, draws: 0, enhanced: 0, credits: 0 };
afterAll(() => {
  rmSync(scratch, { recursive: true });
  const changed = [...worst.values()].filter((value) => value < 99).sort((a, b) => a - b);
  const figures = {
    pages: worst.size,
    changed: changed.length,
    worst: changed[0],
    median: changed[changed.length >> 1],
  };
  console.log(JSON.stringify({ ...totals, rendered: figures }));
});

/** Images and what kind each is; masks get objects of their own. */
function objectsIn(listed: ReturnType<typeof listImages>): string[] {
  return listed
    .filter(({ type }) => type !== 'smask' && type !== 'mask')
    .map(({ object, type }) => `${object} ${type}`);
}

/** Draws of images on pages, as `pdfimages -list` words them; it does not look into tiling patterns. */
function draws(path: string): { pages: number; rows: string[] } {
  const store = openPdfDocument(path);
  const walker = createContentWalker(store);
  const rows: string[] = [];
  let pages = 0;
  for (const page of walkPages(store)) {
    pages += 1;
    for (const { image, matrix, count, inPattern } of drawsOfPage(store, walker, page)) {
      if (inPattern) continue;
      let size = { width: 0, height: 0 };
      if (typeof image !== 'number') size = image;
      else {
        const stream = store.get(image);
        if (!isStream(stream)) continue;
        size = {
          width: Number(store.resolve(stream.dict.get('Width'))),
          height: Number(store.resolve(stream.dict.get('Height'))),
        };
      }
      const { x, y } = computeResolution(matrix, size.width, size.height);
      const id = typeof image === 'number' ? image : '[inline]';
      for (let i = 0; i < count; i += 1) rows.push(`${pages} ${id} ${size.width}x${size.height} ${x} ${y}`);
    }
  }
  store.close();
  return { pages, rows };
}

/** Whether a row of ours and one of poppler's are the same draw; resolutions are printed rounded, and cut when they are too wide. */
function isSame(ours: string, { page, object, width, height, xPpi, yPpi }: ListedImage): boolean {
  const [ourPage, id, size, x, y] = ours.split(' ');
  const near = (value: string | undefined, printed: string): boolean =>
    !/^\d+$/.test(printed) || Math.abs(Number(value) - Number(printed)) <= 1;
  return Number(ourPage) === page && id === object && size === `${width}x${height}` && near(x, xPpi) && near(y, yPpi);
}

const files = expectedFiles(folder);
if (files.length === 0) testUnless('an expected.json in the folder')('PDFs are as expected', () => undefined);
for (const [name, expected] of files)
  describe(name, () => {
    const inputPath = join(folder, name);
    const different = DIFFERENCES[name];

    if (different?.refused) {
      it('is refused with a clear code', async () => {
        await expect(analyzePdf({ inputPath })).rejects.toMatchObject({ code: different.refused });
      });
      return;
    }

    it('has the pages and the draws that poppler lists, at the same resolutions', () => {
      const { pages, rows } = draws(inputPath);
      expect(pages).toBe(different?.pages ?? expected.pages);
      const listed = expected.pdfimages.filter(({ type }) => type === 'image' || type === 'stencil');
      const left = [...rows];
      for (const row of listed) {
        const at = left.findIndex((ours) => isSame(ours, row));
        expectNamed(at, `${JSON.stringify(row)} among ${left.slice(0, 5).join('; ')}`).toBeGreaterThanOrEqual(0);
        left.splice(at, 1);
      }
      expect(left).toEqual([]);
      totals.draws += listed.length;
    });

    it('is charged at most the price of its analysis, and at least that of its enlargements', async () => {
      const { findings, facts } = await analyzePdf({ inputPath });
      const analysis = priceFindings(findings);
      const outputPath = join(scratch, name);
      const result = await enhancePdf({ inputPath, outputPath, parameters: DEFAULTS });
      expect(priceOfPdf(result.work)).toBeLessThanOrEqual(analysis.totalCredits);
      expect(priceOfPdf(result.work)).toBeGreaterThanOrEqual(analysis.statistics.credits.resize);
      const { work } = await estimatePdf({ inputPath, parameters: DEFAULTS, facts });
      expect(priceOfPdf(work)).toBe(analysis.totalCredits);
      totals.credits += analysis.totalCredits;
      totals.files += 1;
    });

    it('enhanced at 300 DPI and at twice the size is no worse, and has the same text and look', async () => {
      const { facts } = await analyzePdf({ inputPath });
      const forced = drawnAt100Dpi(facts);
      const before = {
        text: textOf(inputPath),
        images: listImages(inputPath),
        pages: render(inputPath),
        check: qpdfCheck(inputPath),
      };
      for (const [label, given, parameters] of [
        ['300 DPI', facts, EXACT],
        ['twice', forced, { ...EXACT, targetResolution: 200 }],
      ] as const) {
        const outputPath = join(scratch, `${label}-${name}`);
        const result = await enhancePdf({ inputPath, outputPath, parameters, facts: given });
        totals.enhanced += result.enhanced;
        expect(qpdfCheck(outputPath)).toBeLessThanOrEqual(before.check);
        expect(textOf(outputPath)).toBe(before.text);
        const after = listImages(outputPath);
        expect(objectsIn(after)).toEqual(objectsIn(before.images));
        for (const { number, width, height, parts } of listWork(given, parameters)) {
          // What is shared out among parts, other tests tell.
          if (parts) continue;
          for (const row of after.filter(({ object, type }) => object === String(number) && type === 'image'))
            expect(row).toMatchObject({ width, height });
        }
        const pages = render(outputPath);
        expect(pages).toHaveLength(before.pages.length);
        pages.forEach((page, i) => worst.set(`${label} ${name} ${i + 1}`, psnrOf(page, before.pages[i]!)));
        expect(Math.min(...pages.map((page, i) => psnrOf(page, before.pages[i]!)), 99)).toBeGreaterThan(20);
        rmSync(outputPath);
      }
    });
  });
