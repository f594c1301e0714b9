import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { isDict, openPdfDocument, type PdfValue } from '@burnish/pdf';
import { MAX_SPLIT_PAGES, pagesOfResult } from '@burnish/contract/engine';
import type { PdfPlan } from '../../src/pdf/analyze/work.ts';
import { splitPages } from '../../src/pdf/split/split-pages.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, type Objects } from '../../../pdf/test/build-pdf.ts';
import { parametersOf } from './support.ts';

const scratch = await scratchFolder();
const FIRST = 100;

/** Pages that draw one image each, at the end of a chain of nodes. Pages and images alternate from number 100 on. */
function manyPages(pages: number, depth: number): Objects {
  const objects: Objects = {
    1: '<</Type/Catalog/Pages 20000 0 R>>',
    4: { dict: '', data: 'q 40 0 0 20 0 0 cm /Im Do Q' },
  };
  for (let level = 0; level < depth; level += 1) {
    const isLast = level === depth - 1;
    const kids = isLast ? Array.from({ length: pages }, (_, k) => `${FIRST + 2 * k} 0 R`) : [`${20001 + level} 0 R`];
    objects[20000 + level] = `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}/MediaBox[0 0 40 20]>>`;
  }
  for (let k = 0; k < pages; k += 1) {
    const number = FIRST + 2 * k;
    objects[number] =
      `<</Type/Page/Parent ${19999 + depth} 0 R/Contents 4 0 R/Resources<</XObject<</Im ${number + 1} 0 R>>>>>>`;
    objects[number + 1] = {
      dict: '/Type/XObject/Subtype/Image/Width 4/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8',
      data: Buffer.alloc(8),
    };
  }
  return objects;
}

test('a file has as many split pages as its record names, and the others stay whole with a note', async () => {
  const [pages, depth] = [MAX_SPLIT_PAGES + 2, 5_000];
  const path = scratch('many.pdf');
  writeFileSync(path, buildPdf(manyPages(pages, depth)));
  const pdf = openPdfDocument(path);
  try {
    const images = Array.from({ length: pages }, (_, k) => FIRST + 2 * k + 1);
    const work = images.map((number, k) => ({ number, width: 4, height: 2, resize: false, color: true, turns: k + 1 }));
    const plan = { work, parameters: parametersOf({ mode: 'DOCUMENT', split: true }), facts: { eligible: [] } };
    const results = images.map((number) => ({
      number,
      fold: { at: 0.5, quarters: 0 as const },
      objects: [],
      bytes: 0,
    }));
    const { split, unsplit, changes } = await splitPages(pdf, plan as unknown as PdfPlan, results, {}, {});
    expect(split).toEqual(Array.from({ length: MAX_SPLIT_PAGES }, (_, k) => k + 1));
    expect([...unsplit]).toEqual([
      [pages - 1, 'limit'],
      [pages, 'limit'],
    ]);
    const count = (value: PdfValue | undefined): unknown => isDict(value) && value.get('Count');
    for (const node of [20000, 19999 + depth]) expect(count(changes.values!.get(node))).toBe(pages + MAX_SPLIT_PAGES);
    expect(changes.values!.size).toBe(MAX_SPLIT_PAGES + depth);
  } finally {
    pdf.close();
  }
});

test('a page of the original has its pages in the result by the split pages before it', () => {
  const split = [2, 3, 7];
  expect([1, 2, 3, 4, 7, 8].map((page) => pagesOfResult({ split }, page))).toEqual([
    [1],
    [2, 3],
    [4, 5],
    [6],
    [9, 10],
    [11],
  ]);
  expect(pagesOfResult({}, 5)).toEqual([5]);
  expect([2, 3, 4].map((page) => pagesOfResult({ split: [2], dropped: [1, 3] }, page))).toEqual([[1, 2], [], [3]]);
});
