import {
  isDict,
  isName,
  isRef,
  name,
  ref,
  walkPages,
  type ObjectChanges,
  type Page,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
  type PdfValue,
} from '@burnish/pdf';
import type { UndroppedReason } from '@burnish/contract/engine';
import { changeReachable } from '../pages/change-reachable.ts';
import { readDestination } from '../pages/destinations.ts';
import { mapValue } from '../pages/map-value.ts';
import { kidsOf, readParents } from '../pages/page-nodes.ts';
import { onSettled } from '../pages/settled.ts';
import type { Run } from '../run.ts';

export interface DroppedPages {
  changes: Omit<ObjectChanges, 'streams'>;
  /** Numbers of the dropped pages, in order */
  dropped: number[];
  /** Pages that stay although the order drops them */
  undropped: ReadonlyMap<number, UndroppedReason>;
}

/**
 * Takes pages out of a document. Links and bookmarks to them lead to the next page, and nothing else refers to them.
 * @param numbers of the pages, from 1
 * @param changes earlier changes, which may have split other pages
 */
export async function dropPages(
  pdf: PdfDocument,
  numbers: readonly number[],
  changes: Omit<ObjectChanges, 'streams'>,
  run: Run,
): Promise<DroppedPages> {
  if (numbers.length === 0) return { changes, dropped: [], undropped: new Map() };
  return onSettled(pdf, () => drop(pdf, new Set(numbers), changes, run));
}

async function drop(
  pdf: PdfDocument,
  wanted: ReadonlySet<number>,
  { values: earlier, ...others }: Omit<ObjectChanges, 'streams'>,
  run: Run,
): Promise<DroppedPages> {
  const values = new Map(earlier);
  const parents = readParents(pdf);
  const undropped = new Map<number, UndroppedReason>();
  const dropped: number[] = [];
  /** The next page that stays, or the last one, by the object number of a dropped page */
  const next = new Map<number, PdfRef>();
  const waiting: number[] = [];
  const counts = countKids(pdf, parents);
  let last: PdfRef | undefined;
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    const reason = wanted.has(number) ? whyNot(pdf, page, parents, counts) : 'wanted';
    if (reason === undefined) {
      dropped.push(number);
      waiting.push(page.number);
      continue;
    }
    if (reason !== 'wanted') undropped.set(number, reason);
    last = page.number === 0 ? last : ref(page.number);
    if (last !== undefined) for (const each of waiting.splice(0)) next.set(each, last);
  }
  if (last === undefined || dropped.length === 0) return { changes: { ...others, values }, dropped: [], undropped };
  for (const each of waiting) next.set(each, last);
  removeFromTree(pdf, parents, new Set(next.keys()), values);
  await changeReachable(pdf, values, (value) => mapValue(value, (part) => leadOn(part, next)), run);
  return { changes: { ...others, values }, dropped, undropped };
}

/** Returns how often the page tree names each object below its nodes. */
function countKids(pdf: PdfDocument, parents: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const node of new Set(parents.values()))
    for (const kid of kidsOf(pdf, pdf.get(node)))
      if (isRef(kid)) counts.set(kid.number, (counts.get(kid.number) ?? 0) + 1);
  return counts;
}

/** Why a page cannot be dropped; undefined where it can. */
function whyNot(
  pdf: PdfDocument,
  page: Page,
  parents: ReadonlyMap<number, number>,
  counts: ReadonlyMap<number, number>,
): UndroppedReason | undefined {
  if (!parents.has(page.number) || counts.get(page.number) !== 1) return 'shared';
  const annotations = pdf.resolve(page.dict.get('Annots'));
  const isField = (annotation: PdfValue): boolean => {
    const dict = pdf.resolve(annotation);
    const subtype = isDict(dict) ? pdf.resolve(dict.get('Subtype')) : null;
    return isName(subtype) && subtype.value === 'Widget';
  };
  return Array.isArray(annotations) && annotations.some(isField) ? 'fields' : undefined;
}

/** Removes pages from the page tree, and nodes that are left without any. */
function removeFromTree(
  pdf: PdfDocument,
  parents: ReadonlyMap<number, number>,
  pages: ReadonlySet<number>,
  values: Map<number, PdfValue>,
): void {
  const removed = new Set(pages);
  const fewer = new Map<number, number>();
  // Nodes come after the one above them, so that each passes on its whole count.
  for (const [node, above] of [...parents].reverse()) {
    const count = pages.has(node) ? 1 : (fewer.get(node) ?? 0);
    if (count === 0) continue;
    fewer.set(above, (fewer.get(above) ?? 0) + count);
    if (!pages.has(node) && changeNode(pdf, node, { count, removed }, values) === 0) removed.add(node);
  }
  for (const [node, count] of fewer) if (!parents.has(node)) changeNode(pdf, node, { count, removed }, values);
}

/** @returns the number of kids that a node still has */
function changeNode(
  pdf: PdfDocument,
  number: number,
  { count, removed }: { count: number; removed: ReadonlySet<number> },
  values: Map<number, PdfValue>,
): number {
  const found = values.get(number) ?? pdf.get(number);
  const node: PdfDict = new Map(isDict(found) ? found : []);
  const before = pdf.resolve(node.get('Count'));
  if (typeof before === 'number') node.set('Count', before - count);
  const left = kidsOf(pdf, node).filter((kid) => !isRef(kid) || !removed.has(kid.number));
  node.set('Kids', left);
  values.set(number, node);
  return left.length;
}

/** Returns what a reference to a dropped page becomes; undefined for other values. */
function leadOn(value: PdfValue, next: ReadonlyMap<number, PdfRef>): PdfValue | undefined {
  const destination = readDestination(value);
  const page = destination && next.get(destination.page.number);
  if (page !== undefined) return [page, name('Fit')];
  return isRef(value) && next.has(value.number) ? null : undefined;
}
