import {
  isDict,
  isName,
  nextNumber,
  ref,
  walkPages,
  type AddedObject,
  type ObjectChanges,
  type Page,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
  type PdfValue,
} from '@burnish/pdf';
import { type UnsplitReason, MAX_SPLIT_PAGES } from '@burnish/contract/engine';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import type { FoldOfPicture } from '../enhance/enhance-image.ts';
import type { StoredResult } from '../enhance/result-file.ts';
import { changeReachable } from '../pages/change-reachable.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { findScanOfPage, type ScanOfPage } from '../turn/scan-of-page.ts';
import { moveReferences, type Moves } from './moved-references.ts';
import { divideAnnotations } from './page-annotations.ts';
import { cutPage, findCut, type PageCut } from './page-cut.ts';
import { insertPages, readParents } from '../pages/page-nodes.ts';
import { paintedObjects } from '../pages/painted-objects.ts';
import { onSettled } from '../pages/settled.ts';

/** Entries of a page that its second side does not repeat: structure, articles, actions and data of programs. */
const OF_FIRST_ALONE = ['StructParents', 'B', 'AA', 'PieceInfo', 'ID', 'PresSteps', 'TemplateInstantiated'];

/** How a page is split. Its first side replaces the page among the changed objects. */
export interface PageSides {
  cut: PageCut;
  second: PdfDict;
}

export interface SplitPages {
  changes: Omit<ObjectChanges, 'streams'>;
  /** By the object number of the page */
  sides: ReadonlyMap<number, PageSides>;
  /** Numbers of the split pages, in order */
  split: number[];
  /** Pages with a fold that stay one page */
  unsplit: ReadonlyMap<number, UnsplitReason>;
}

interface Spread {
  work: ImageWork;
  fold: FoldOfPicture;
}

/**
 * Makes two pages of each page whose scan shows a fold. Both have the content of the page, and boxes that end at the fold.
 * @param changes earlier changes, which may have turned the pages
 */
export async function splitPages(
  pdf: PdfDocument,
  { work, parameters, facts }: PdfPlan,
  results: readonly StoredResult[],
  changes: Omit<ObjectChanges, 'streams'>,
  run: Run,
): Promise<SplitPages> {
  const folds = new Map(results.flatMap(({ number, fold }) => (fold === undefined ? [] : [[number, fold] as const])));
  const unsplit = new Map<number, UnsplitReason>();
  const spreads = new Map<number, Spread>();
  const drawnOn = new Map(facts.eligible.map((image) => [image.number, image.drawnOn]));
  for (const each of parameters.split ? work : []) {
    const fold = folds.get(each.number);
    if (fold === undefined) continue;
    if (each.turns !== undefined) spreads.set(each.turns, { work: each, fold });
    else for (const page of drawnOn.get(each.number) ?? []) unsplit.set(page, 'not-alone');
  }
  if (spreads.size === 0) return { changes, sides: new Map(), split: [], unsplit };
  const divided = await onSettled(pdf, () => split(pdf, spreads, changes, run));
  return { ...divided, unsplit: new Map([...unsplit, ...divided.unsplit]) };
}

async function split(
  pdf: PdfDocument,
  spreads: ReadonlyMap<number, Spread>,
  { values: turned, added: earlier = [] }: Omit<ObjectChanges, 'streams'>,
  run: Run,
): Promise<SplitPages> {
  const values = new Map(turned);
  const added: AddedObject[] = [...earlier];
  const first = nextNumber(pdf) + added.length;
  const parents = readParents(pdf);
  const isRightToLeft = readsRightToLeft(pdf);
  const sides = new Map<number, PageSides>();
  const seconds = new Map<number, number>();
  const annotations = new Map<number, PdfRef>();
  const unsplit = new Map<number, UnsplitReason>();
  const numbers: number[] = [];
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    const spread = spreads.get(number);
    if (spread === undefined) continue;
    await yieldToEvents(run);
    const given = values.get(page.number);
    const dict = isDict(given) ? given : page.dict;
    const found = parents.has(page.number) ? findCutOfPage(pdf, page, dict, spread, isRightToLeft) : 'not-alone';
    const cut = sides.size < MAX_SPLIT_PAGES || typeof found === 'string' ? found : 'limit';
    if (cut === undefined) continue;
    if (typeof cut === 'string') {
      unsplit.set(number, cut);
      continue;
    }
    const second = ref(first + sides.size);
    const made = divide(pdf, dict, { cut, second }, values, annotations);
    made.second.set('Parent', ref(parents.get(page.number)!));
    values.set(page.number, made.first);
    added.push({ number: second.number, value: made.second });
    sides.set(page.number, { cut, second: made.second });
    seconds.set(page.number, second.number);
    numbers.push(number);
  }
  if (sides.size === 0) return { changes: { values, added }, sides, split: numbers, unsplit };
  insertPages(pdf, parents, seconds, values);
  const pages = new Map([...sides].map(([page, { cut }]) => [page, { cut, second: ref(seconds.get(page)!) }]));
  await moveAll(pdf, values, [...sides.values()], { pages, annotations }, run);
  return { changes: { values, added }, sides, split: numbers, unsplit };
}

/** @param dict the page as it is turned @returns undefined for a page that shows one side of its scan */
function findCutOfPage(
  pdf: PdfDocument,
  page: Page,
  dict: PdfDict,
  { work, fold }: Spread,
  isRightToLeft: boolean,
): PageCut | 'not-alone' | undefined {
  const scan = findScanOfPage(pdf, page, work);
  if (scan === undefined || !showsOnlyScan(scan)) return 'not-alone';
  return findCut(pdf, { ...scan, page: { ...page, dict } }, fold, isRightToLeft);
}

function divide(
  pdf: PdfDocument,
  page: PdfDict,
  { cut, second }: { cut: PageCut; second: PdfRef },
  values: Map<number, PdfValue>,
  annotations: Map<number, PdfRef>,
): { first: PdfDict; second: PdfDict } {
  const sides = { first: cutPage(pdf, page, cut, true), second: cutPage(pdf, page, cut, false) };
  for (const key of OF_FIRST_ALONE) sides.second.delete(key);
  const divided = divideAnnotations(pdf, page, { cut, second }, values);
  if (divided === undefined) return sides;
  sides.first.set('Annots', divided.first);
  sides.second.set('Annots', divided.second);
  for (const { number } of divided.moved) annotations.set(number, second);
  return sides;
}

async function moveAll(
  pdf: PdfDocument,
  values: Map<number, PdfValue>,
  sides: readonly PageSides[],
  moves: Moves,
  run: Run,
): Promise<void> {
  await changeReachable(pdf, values, (value) => moveReferences(value, moves), run);
  // Annotations inside a new page are no objects of their own.
  for (const { second } of sides) {
    const annotations = second.get('Annots');
    if (annotations !== undefined) second.set('Annots', moveReferences(annotations, moves));
  }
}

function readsRightToLeft(pdf: PdfDocument): boolean {
  const catalog = pdf.resolve(pdf.xref().trailer.get('Root'));
  const preferences = isDict(catalog) ? pdf.resolve(catalog.get('ViewerPreferences')) : null;
  const direction = isDict(preferences) ? pdf.resolve(preferences.get('Direction')) : null;
  return isName(direction) && direction.value === 'R2L';
}

/** Whether the content of a page shows nothing but its scan. Invisible text may lie over it. */
const showsOnlyScan = ({ content, draws }: ScanOfPage): boolean => {
  const painted = paintedObjects(content());
  return painted?.objects.length === draws.length;
};
