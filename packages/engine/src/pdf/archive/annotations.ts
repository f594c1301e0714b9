import { isDict, isStream, type PdfDict } from '@burnish/pdf';
import { dropAction } from './actions.ts';
import { addObstacle, arrayOf, dictOf, dropKeys, nameOf, type ArchivePass } from './archive-pass.ts';
import type { ContentChecker } from './content-checker.ts';

/** Types of annotations of ISO 32000-1 without those of sound, films and three dimensions (ISO 19005-2 section 6.3.1). */
const TYPES = new Set(
  `Text Link FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Stamp Caret Ink Popup
   FileAttachment Widget PrinterMark TrapNet Watermark Redact`.split(/\s+/),
);
/** Bits of the flags (ISO 32000-1 table 165) */
const FLAGS = { invisible: 1, hidden: 2, print: 4, noView: 32, toggleNoView: 256 } as const;

/** Checks the annotations of a page, sets their flags, and removes their scripts. */
export function checkAnnotations(pass: ArchivePass, content: ContentChecker, page: PdfDict): void {
  for (const each of arrayOf(pass, page.get('Annots'))) {
    const annotation = dictOf(pass, each);
    if (annotation !== undefined) checkAnnotation(pass, content, annotation);
  }
}

function checkAnnotation(pass: ArchivePass, content: ContentChecker, annotation: PdfDict): void {
  const { objects } = pass;
  const type = nameOf(pass, annotation.get('Subtype')) ?? '';
  if (!TYPES.has(type)) return addObstacle(pass, 'annotation');
  dropKeys(pass, annotation, ['AA']);
  if (type === 'Widget') dropKeys(pass, annotation, ['A']);
  else dropAction(pass, annotation, 'A');
  setFlags(pass, annotation, type);
  const states = dictOf(pass, annotation.get('AP'));
  if (states === undefined) {
    if (type !== 'Link' && type !== 'Popup' && !isEmpty(pass, annotation)) addObstacle(pass, 'appearance');
    return;
  }
  // Appearances under the pointer are for a screen alone.
  dropKeys(pass, states, ['R', 'D']);
  const normal = objects.resolve(states.get('N'));
  const isButton = type === 'Widget' && fieldType(pass, annotation) === 'Btn';
  if (isButton ? !isDict(normal) : !isStream(normal)) addObstacle(pass, 'appearance');
  const forms = isDict(normal) ? [...normal.values()].map(objects.resolve) : [normal];
  for (const form of forms) if (isStream(form)) content.checkForm(form, new Map());
}

function setFlags(pass: ArchivePass, annotation: PdfDict, type: string): void {
  const { objects } = pass;
  const given = objects.resolve(annotation.get('F'));
  const flags = typeof given === 'number' ? given : 0;
  if (type === 'Popup' && given === null) return;
  if ((flags & (FLAGS.hidden | FLAGS.noView)) !== 0) addObstacle(pass, 'hidden-annotation');
  const archived = (flags | FLAGS.print) & ~(FLAGS.invisible | FLAGS.toggleNoView);
  if (archived !== given) objects.edit(annotation).set('F', archived);
}

function isEmpty(pass: ArchivePass, annotation: PdfDict): boolean {
  const [x0, y0, x1, y1] = arrayOf(pass, annotation.get('Rect')).map(pass.objects.resolve);
  return x0 === x1 && y0 === y1;
}

const MAX_PARENTS = 64;

/** Returns the type of a form field, which a field inherits from its parents. */
export function fieldType(pass: ArchivePass, field: PdfDict): string | undefined {
  let found: PdfDict | undefined = field;
  for (let depth = 0; found !== undefined && depth < MAX_PARENTS; depth += 1) {
    if (found.has('FT')) return nameOf(pass, found.get('FT'));
    found = dictOf(pass, found.get('Parent'));
  }
  return undefined;
}
