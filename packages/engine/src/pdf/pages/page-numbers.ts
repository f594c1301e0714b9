import { isDict, isRef, type ObjectChanges, type PdfDict, type PdfDocument, type PdfValue } from '@burnish/pdf';

/** Most entries of a number tree that is read: more than a document has pages. */
const MOST_ENTRIES = 100_000;

/**
 * Adapts page labels and the range of printed pages to the pages of a result: each page keeps the label that it has in the original.
 * @param pages index in the original, from 0, of each page of the result, in order; the two sides of a split page have the same
 */
export function renumberPages(
  pdf: PdfDocument,
  changes: Omit<ObjectChanges, 'streams'>,
  pages: readonly number[],
): Omit<ObjectChanges, 'streams'> {
  const root = pdf.xref().trailer.get('Root');
  if (!isRef(root)) return changes;
  const catalog = changes.values?.get(root.number) ?? pdf.get(root.number);
  if (!isDict(catalog)) return changes;
  const renumbered = renumberCatalog(pdf, catalog, pages);
  return renumbered === catalog
    ? changes
    : { ...changes, values: new Map(changes.values).set(root.number, renumbered) };
}

function renumberCatalog(pdf: PdfDocument, catalog: PdfDict, pages: readonly number[]): PdfDict {
  const labels = readNumberTree(pdf, catalog.get('PageLabels'));
  const preferences = pdf.resolve(catalog.get('ViewerPreferences'));
  const range = isDict(preferences) ? pdf.resolve(preferences.get('PrintPageRange')) : null;
  if (labels.length === 0 && !Array.isArray(range)) return catalog;
  const renumbered: PdfDict = new Map(catalog);
  if (labels.length > 0) renumbered.set('PageLabels', new Map([['Nums', relabel(pdf, labels, pages).flat()]]));
  if (isDict(preferences) && Array.isArray(range)) {
    // Pairs of the first and the last page of a section, from 1
    const moved = range.map((page, k) => {
      if (typeof page !== 'number') return page;
      const place =
        k % 2 === 0 ? pages.findIndex((each) => each >= page - 1) : pages.findLastIndex((each) => each < page);
      return place < 0 ? page : place + 1;
    });
    renumbered.set('ViewerPreferences', new Map(preferences).set('PrintPageRange', moved));
  }
  return renumbered;
}

/** Returns the labels of pages, each range by the index of its first page in the result (ISO 32000-1 section 12.4.2). */
function relabel(
  pdf: PdfDocument,
  labels: readonly (readonly [number, PdfValue])[],
  pages: readonly number[],
): [number, PdfValue][] {
  const ranges: [number, PdfValue][] = [];
  let [range, before] = [-1, -2];
  for (const [index, page] of pages.entries()) {
    const last = range;
    while (range + 1 < labels.length && labels[range + 1]![0] <= page) range += 1;
    const [start, value] = labels[range] ?? [0, null];
    const label = pdf.resolve(value);
    // A label without a numeral is the same on all pages of its range.
    const isNumbered = isDict(label) && label.has('S');
    const continues = range === last && (!isNumbered || page === before + 1);
    before = page;
    if (range < 0 || continues) continue;
    if (page === start || !isNumbered) ranges.push([index, value]);
    else {
      const first = pdf.resolve(label.get('St'));
      ranges.push([index, new Map(label).set('St', (typeof first === 'number' ? first : 1) + page - start)]);
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
