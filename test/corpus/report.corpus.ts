import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { priceOfPdf, EngineError } from '@burnish/contract';
import { estimatePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { enhancePdf } from '../../packages/engine/test/pdf/support.ts';
import { corpusFolder, isSharedCorpus, pdfsIn } from './expected.ts';
import { psnrOf, render, renderWithPdfium, requireJudges } from './judges.ts';
import { DEFAULTS, RESIZE } from './variants.ts';
import { testUnless } from '../support/needs.ts';

/** A result may differ from its original in the sharpness of images only: below this PSNR, dB, a page lost something. */
const WORST_PAGE = 20;
/** Pages of a file that each renderer compares. */
const MOST_PAGES = 50;
const NAMED = 5;

const RENDERERS = {
  poppler: (path: string) => Promise.resolve(render(path, MOST_PAGES)),
  pdfium: (path: string) => renderWithPdfium(path, MOST_PAGES),
};

interface ComparedPage {
  page: string;
  /** dB */
  psnr: number;
}

interface Floors {
  files: number;
  refused: number;
  credits: number;
  /** Size of a result divided by that of its original, of files with an enhanced image */
  growth: Figures;
  /** Factor between estimated and real sizes of these results */
  estimate: Figures;
  /** Share of these results whose size is within the estimated range */
  inRange: number;
}

type Figures = Record<'median' | 'p90' | 'max', number>;

requireJudges();
const folder = corpusFolder();
const scratch = mkdtempSync(join(tmpdir(), 'burnish-corpus-report-'));
const files = pdfsIn(folder);

const codes: Record<string, number> = {};
/** Of files with an enhanced image: the growth, and the estimated size divided by the real one, or the reverse */
const growths: { file: string; growth: number; estimate: number; inRange: boolean }[] = [];
const pages: Record<keyof typeof RENDERERS, ComparedPage[]> = { poppler: [], pdfium: [] };
/** Files that a renderer cannot draw before their enhancement */
const undrawn: Record<keyof typeof RENDERERS, string[]> = { poppler: [], pdfium: [] };
let credits = 0;

function figuresOf(name: 'growth' | 'estimate') {
  const sorted = growths.toSorted((a, b) => a[name] - b[name]);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)]?.[name] ?? 1;
  const largest = sorted.slice(-NAMED).reverse();
  return { files: sorted.length, median: at(0.5), p90: at(0.9), max: at(1), largest };
}

const shareInRange = (): number => growths.filter(({ inRange }) => inRange).length / Math.max(1, growths.length);

afterAll(() => {
  rmSync(scratch, { recursive: true });
  const worst = Object.fromEntries(
    Object.entries(pages).map(([renderer, all]) => {
      const changed = all.filter(({ psnr }) => psnr < 99).sort((a, b) => a.psnr - b.psnr);
      return [renderer, { pages: all.length, changed: changed.length, worst: changed.slice(0, NAMED) }];
    }),
  );
  console.log(
    JSON.stringify(
      {
        files: files.length,
        codes,
        credits,
        growth: figuresOf('growth'),
        estimate: { ...figuresOf('estimate'), inRange: shareInRange() },
        worst,
        undrawn,
      },
      null,
      2,
    ),
  );
});

/** @returns whether the file is enhanced and not refused */
async function isEnhanced(file: string, inputPath: string, outputPath: string): Promise<boolean> {
  try {
    const { enhanced, work } = await enhancePdf({ inputPath, outputPath, parameters: DEFAULTS });
    credits += priceOfPdf(work);
    if (enhanced > 0) {
      const [before, after] = [statSync(inputPath).size, statSync(outputPath).size];
      const { bytes, range } = await estimatePdf({ inputPath, parameters: DEFAULTS });
      const inRange = range.least <= after && after <= range.most;
      growths.push({ file, growth: after / before, estimate: Math.max(bytes / after, after / bytes), inRange });
    }
    return true;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    codes[error.code] = (codes[error.code] ?? 0) + 1;
    expect(error.code).not.toBe('INTERNAL');
    return false;
  }
}

if (files.length === 0) testUnless('PDFs in the folder')('PDFs keep their pages', () => undefined);
for (const file of files)
  it(`${file} is enhanced with every page as before in two renderers, or refused with a code`, async () => {
    const [inputPath, outputPath] = [join(folder, file), join(scratch, 'result.pdf')];
    if (!(await isEnhanced(file, inputPath, outputPath))) return;
    await enhancePdf({ inputPath, outputPath, parameters: RESIZE });
    const compared: ComparedPage[] = [];
    for (const renderer of ['poppler', 'pdfium'] as const) {
      const before = await RENDERERS[renderer](inputPath).catch(() => undefined);
      if (before === undefined) {
        undrawn[renderer].push(file);
        continue;
      }
      const after = await RENDERERS[renderer](outputPath);
      expect(after).toHaveLength(before.length);
      const own = after.map((page, i) => ({ page: `${file} ${i + 1}`, psnr: psnrOf(page, before[i]!) }));
      pages[renderer].push(...own);
      compared.push(...own);
    }
    expect(compared.filter(({ psnr }) => psnr < WORST_PAGE)).toEqual([]);
  });

if (isSharedCorpus(folder)) {
  it('the shared corpus holds its floors', () => {
    const floors = JSON.parse(readFileSync(new URL('floors.json', import.meta.url), 'utf8')) as Floors;
    const refused = Object.values(codes).reduce((sum, count) => sum + count, 0);
    expect({ files: files.length, refused, credits }).toEqual({
      files: floors.files,
      refused: floors.refused,
      credits: floors.credits,
    });
    for (const name of ['growth', 'estimate'] as const) {
      const { median, p90, max } = figuresOf(name);
      expect(median).toBeLessThanOrEqual(floors[name].median);
      expect(p90).toBeLessThanOrEqual(floors[name].p90);
      expect(max).toBeLessThanOrEqual(floors[name].max);
    }
    expect(shareInRange()).toBeGreaterThanOrEqual(floors.inRange);
  });
}
