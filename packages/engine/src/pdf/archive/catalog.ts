import { isRef, type PdfDict, type PdfValue } from '@burnish/pdf';
import { dropAction } from './actions.ts';
import { arrayOf, dictOf, dropKeys, type ArchivePass } from './archive-pass.ts';
import { assertWorkWithin } from '../work-limits.ts';

/** Nesting of the list of layers. */
const MAX_NESTING = 32;

/** Checks what belongs to the document as a whole: actions, forms, layers, attachments (ISO 19005-2 sections 6.4 to 6.11). */
export function checkCatalog(pass: ArchivePass, catalog: PdfDict): void {
  const { objects, obstacles } = pass;
  dropAction(pass, catalog, 'OpenAction');
  dropKeys(pass, catalog, ['AA', 'Requirements', 'Version', 'Collection']);
  if (objects.resolve(catalog.get('NeedsRendering')) === true) obstacles.add('dynamic-form');
  dropKeys(pass, catalog, ['NeedsRendering']);
  const names = dictOf(pass, catalog.get('Names'));
  if (names) dropKeys(pass, names, ['JavaScript', 'AlternatePresentations']);
  const form = dictOf(pass, catalog.get('AcroForm'));
  if (form) checkForm(pass, form);
  const layers = dictOf(pass, catalog.get('OCProperties'));
  if (layers) checkLayers(pass, layers);
  const outlines = dictOf(pass, catalog.get('Outlines'));
  if (outlines) checkOutlines(pass, outlines);
}

/** A hybrid form keeps its fields, and loses the copy in XFA. */
function checkForm(pass: ArchivePass, form: PdfDict): void {
  const { objects } = pass;
  dropKeys(pass, form, ['XFA', 'NeedAppearances']);
  const seen = new Set<PdfDict>();
  const waiting = [...arrayOf(pass, form.get('Fields'))];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const field = dictOf(pass, next);
    if (field === undefined || seen.has(field)) continue;
    seen.add(field);
    assertWorkWithin('pageForms', seen.size);
    dropKeys(pass, field, ['A', 'AA']);
    const kids = objects.resolve(field.get('Kids'));
    if (Array.isArray(kids)) waiting.push(...kids);
  }
}

function checkOutlines(pass: ArchivePass, outlines: PdfDict): void {
  const seen = new Set<PdfDict>();
  const waiting: (PdfValue | undefined)[] = [outlines.get('First')];
  while (waiting.length > 0) {
    const item = dictOf(pass, waiting.pop());
    if (item === undefined || seen.has(item)) continue;
    seen.add(item);
    assertWorkWithin('pageForms', seen.size);
    dropAction(pass, item, 'A');
    waiting.push(item.get('First'), item.get('Next'));
  }
}

/** Each configuration of layers has a name of its own, lists all of them, and depends on no use (section 6.9). */
function checkLayers(pass: ArchivePass, layers: PdfDict): void {
  const { objects, obstacles } = pass;
  const groups = arrayOf(pass, layers.get('OCGs')).filter(isRef);
  const usual = dictOf(pass, layers.get('D'));
  if (usual === undefined) return obstacles.add('layer-order');
  const configurations = [usual, ...arrayOf(pass, layers.get('Configs')).flatMap((each) => dictOf(pass, each) ?? [])];
  for (const [k, configuration] of configurations.entries()) {
    const title = k === 0 ? 'Default' : `Configuration ${k}`;
    objects.edit(configuration).set('Name', { kind: 'string', bytes: Buffer.from(title, 'latin1'), hex: false });
    dropKeys(pass, configuration, ['AS']);
    const order = objects.resolve(configuration.get('Order'));
    if (!Array.isArray(order)) continue;
    const listed = new Set<number>();
    collectRefs(pass, order, listed, 0);
    const missing = groups.filter(({ number }) => !listed.has(number));
    if (missing.length > 0) objects.edit(order).push(...missing);
  }
}

function collectRefs(pass: ArchivePass, order: readonly PdfValue[], found: Set<number>, depth: number): void {
  if (depth > MAX_NESTING) return;
  for (const each of order) {
    if (isRef(each)) found.add(each.number);
    const inner = pass.objects.resolve(each);
    if (Array.isArray(inner)) collectRefs(pass, inner, found, depth + 1);
  }
}
