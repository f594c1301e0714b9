import { isDict, isRef, ref, type PdfDict, type PdfDocument, type PdfValue } from '@burnish/pdf';

/** Returns the object number of the node above each page and each node of the page tree, by object number. */
export function readParents(pdf: PdfDocument): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  const root = pdf.resolve(pdf.xref().trailer.get('Root'));
  const top = isDict(root) ? root.get('Pages') : undefined;
  if (!isRef(top)) return parents;
  const waiting = [top.number];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const kid of kidsOf(pdf, pdf.get(node))) {
      if (!isRef(kid) || kid.number === top.number || parents.has(kid.number)) continue;
      parents.set(kid.number, node);
      waiting.push(kid.number);
    }
  }
  return parents;
}

/** Returns what a node of the page tree has below it. */
export function kidsOf(pdf: PdfDocument, node: PdfValue): PdfValue[] {
  const kids = isDict(node) ? pdf.resolve(node.get('Kids')) : null;
  return Array.isArray(kids) ? kids : [];
}

/**
 * Inserts pages into the page tree, each after another one.
 * @param inserted object numbers of the new pages, by that of the page before
 * @param values changed objects, which get the changed nodes
 */
export function insertPages(
  pdf: PdfDocument,
  parents: ReadonlyMap<number, number>,
  inserted: ReadonlyMap<number, number>,
  values: Map<number, PdfValue>,
): void {
  const more = new Map<number, number>();
  const addTo = (node: number | undefined, count: number): void => {
    if (node !== undefined && count > 0) more.set(node, (more.get(node) ?? 0) + count);
  };
  const changed = new Set([...inserted.keys()].map((page) => parents.get(page)!));
  for (const page of inserted.keys()) addTo(parents.get(page), 1);
  // Nodes come after the one above them, so that each passes on its whole count.
  for (const [node, above] of [...parents].reverse()) addTo(above, more.get(node) ?? 0);
  for (const [number, count] of more) {
    const found = values.get(number) ?? pdf.get(number);
    const node: PdfDict = new Map(isDict(found) ? found : []);
    const before = pdf.resolve(node.get('Count'));
    if (typeof before === 'number') node.set('Count', before + count);
    if (changed.has(number)) node.set('Kids', withInserted(kidsOf(pdf, node), inserted));
    values.set(number, node);
  }
}

function withInserted(kids: readonly PdfValue[], inserted: ReadonlyMap<number, number>): PdfValue[] {
  const waiting = new Map(inserted);
  return kids.flatMap((kid) => {
    const next = isRef(kid) ? waiting.get(kid.number) : undefined;
    if (!isRef(kid) || next === undefined) return [kid];
    waiting.delete(kid.number);
    return [kid, ref(next)];
  });
}
