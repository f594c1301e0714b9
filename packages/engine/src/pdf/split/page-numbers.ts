import { isDict, isRef, type PdfDict, type PdfDocument, type PdfValue } from '@burnish/pdf';

/** Most entries of a number tree that is read: more than a document has pages. */
const MOST_ENTRIES = 100_000;

/**
 * Returns a catalog whose page labels and range of printed pages fit the split pages. Each page keeps its label, and both
 * sides of a split page have that of the page.
 * @param split indices of the split pages, from 0, in order
 */
export function renumberCatalog(pdf: PdfDocument, catalog: PdfDict, split: readonly number[]): PdfDict {
  const labels = readNumberTree(pdf, catalog.get('PageLabels'));
  const preferences = pdf.resolve(catalog.get('ViewerPreferences'));
  const range = isDict(preferences) ? pdf.resolve(preferences.get('PrintPageRange')) : null;
  if (labels.length === 0 && !Array.isArray(range)) return catalog;
  const renumbered: PdfDict = new Map(catalog);
  if (labels.length > 0) renumbered.set('PageLabels', new Map([['Nums', relabel(pdf, labels, split).flat()]]));
  if (isDict(preferences) && Array.isArray(range)) {
    // Pairs of the first and the last page of a section, from 1
    const pages = range.map((page, k) =>
      typeof page === 'number' ? toIndex(split, page - (k % 2 === 0 ? 1 : 0)) + (k % 2 === 0 ? 1 : 0) : page,
    );
    renumbered.set('ViewerPreferences', new Map(preferences).set('PrintPageRange', pages));
  }
  return renumbered;
}

/** Returns the index that a page has once pages before it are split. */
const toIndex = (split: readonly number[], page: number): number => page + split.filter((each) => each < page).length;

/** Returns the labels of pages, each range by the index of its first page (ISO 32000-1 section 12.4.2). */
function relabel(
  pdf: PdfDocument,
  labels: readonly (readonly [number, PdfValue])[],
  split: readonly number[],
): [number, PdfValue][] {
  const ranges: [number, PdfValue][] = [];
  let [next, before] = [0, 0];
  for (const [k, [start, value]] of labels.entries()) {
    const end = labels[k + 1]?.[0] ?? Infinity;
    for (; next < split.length && split[next]! < start; next += 1) before += 1;
    ranges.push([start + before, value]);
    const label = pdf.resolve(value);
    for (; next < split.length && split[next]! < end; next += 1) {
      const page = split[next]!;
      before += 1;
      // A label without a numeral is the same on all pages of its range.
      if (!isDict(label) || !label.has('S')) continue;
      const first = pdf.resolve(label.get('St'));
      const number = (typeof first === 'number' ? first : 1) + page - start;
      ranges.push([page + before, new Map(label).set('St', number)]);
    }
  }
  return ranges;
}

/** Returns the entries of a number tree in order (ISO 32000-1 section 7.9.7). A repeated node counts once. */
function readNumberTree(pdf: PdfDocument, root: PdfValue | undefined): [number, PdfValue][] {
  const entries = new Map<number, PdfValue>();
  const seen = new Set<number>();
  const waiting: PdfValue[] = [root ?? null];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isRef(node)) {
      if (seen.has(node.number)) continue;
      seen.add(node.number);
    }
    const dict = pdf.resolve(node);
    if (!isDict(dict)) continue;
    const numbers = pdf.resolve(dict.get('Nums'));
    for (let k = 0; Array.isArray(numbers) && k + 1 < numbers.length && entries.size < MOST_ENTRIES; k += 2) {
      const key = pdf.resolve(numbers[k]);
      if (typeof key === 'number') entries.set(key, numbers[k + 1]!);
    }
    const kids = pdf.resolve(dict.get('Kids'));
    if (Array.isArray(kids) && waiting.length + kids.length < MOST_ENTRIES) waiting.push(...kids);
  }
  return [...entries].sort(([one], [other]) => one - other);
}
