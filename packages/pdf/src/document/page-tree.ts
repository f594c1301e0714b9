import { PDF_LIMITS } from '../limits.ts';
import { assertWithin } from '../pdf-error.ts';
import type { PdfDocument } from './pdf-document.ts';
import { isDict, isName, isRef, type PdfDict, type PdfValue } from '../syntax/objects.ts';

export interface Page {
  /** Object number; 0 for a page that is no object of its own */
  number: number;
  dict: PdfDict;
  resources: PdfDict;
  /** Points per unit of user space, 1 by default (ISO 32000-1 table 30) */
  userUnit: number;
}

interface Node {
  value: PdfValue;
  resources: PdfDict;
}

/**
 * Yields the pages in order, one at a time. A repeated node counts once, so a loop terminates. If the tree contains no
 * page, every object with the type of a page counts, as in other readers.
 * @throws PdfError LIMIT_EXCEEDED
 */
export function* walkPages(pdf: PdfDocument): Generator<Page> {
  let isEmpty = true;
  for (const page of pagesOfTree(pdf)) {
    isEmpty = false;
    yield page;
  }
  if (isEmpty) yield* loosePages(pdf);
}

function* loosePages(pdf: PdfDocument): Generator<Page> {
  let pages = 0;
  for (let number = 1; number < pdf.xref().index.size(); number += 1) {
    const dict = pdf.get(number);
    const type = isDict(dict) ? pdf.resolve(dict.get('Type')) : null;
    if (!isDict(dict) || !isName(type) || type.value !== 'Page') continue;
    assertWithin('pages', (pages += 1));
    const resources = pdf.resolve(dict.get('Resources'));
    yield toPage(pdf, number, dict, isDict(resources) ? resources : new Map());
  }
}

function toPage(pdf: PdfDocument, number: number, dict: PdfDict, resources: PdfDict): Page {
  const unit = pdf.resolve(dict.get('UserUnit'));
  return { number, dict, resources, userUnit: typeof unit === 'number' && unit > 0 ? unit : 1 };
}

function* pagesOfTree(pdf: PdfDocument): Generator<Page> {
  const root = pdf.resolve(pdf.xref().trailer.get('Root'));
  if (!isDict(root)) return;
  const seen = new Set<number>();
  const waiting: Node[] = [{ value: root.get('Pages') ?? null, resources: new Map() }];
  let [pages, nodes] = [0, 0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    assertWithin('pageTreeNodes', (nodes += 1));
    if (isRef(node.value)) {
      if (seen.has(node.value.number)) continue;
      seen.add(node.value.number);
    }
    const dict = pdf.resolve(node.value);
    if (!isDict(dict)) continue;
    const own = pdf.resolve(dict.get('Resources'));
    const resources = isDict(own) ? own : node.resources;
    const kids = pdf.resolve(dict.get('Kids'));
    if (Array.isArray(kids)) {
      if (kids.length + waiting.length > PDF_LIMITS.pageTreeNodes.max)
        assertWithin('pageTreeNodes', kids.length + waiting.length);
      for (let i = kids.length - 1; i >= 0; i -= 1) waiting.push({ value: kids[i] as PdfValue, resources });
      continue;
    }
    assertWithin('pages', (pages += 1));
    yield toPage(pdf, isRef(node.value) ? node.value.number : 0, dict, resources);
  }
}
