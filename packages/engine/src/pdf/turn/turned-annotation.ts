import { mapBox, mapPoint, multiply, type Matrix } from '../pages/matrix.ts';
import { appearanceMatrix, numbers } from '../pages/page-draws.ts';
import {
  isDict,
  isName,
  isRef,
  isStream,
  name,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
  type PdfValue,
} from '@burnish/pdf';
import { inContent } from './turned-content.ts';

/** Adds a new stream to the file. */
export type AddStream = (dict: PdfDict, data: Buffer) => PdfRef;

/** Marks on the ink itself (ISO 32000-1 section 12.5.6). All other annotations keep their direction, as fields do. */
const MARKS = new Set([
  'Highlight',
  'Underline',
  'Squiggly',
  'StrikeOut',
  'Line',
  'Square',
  'Circle',
  'Polygon',
  'PolyLine',
  'Ink',
  'Stamp',
  'FreeText',
  'Caret',
  'Redact',
]);
/** Entries with points in the user space of the page. */
const POINTS = ['QuadPoints', 'L', 'Vertices', 'InkList', 'CL', 'Path'];

/**
 * Returns an annotation of a turned page. Its points move with the page, and a mark turns with it. The rectangle of
 * another annotation keeps its size around its moved centre.
 */
export function turnAnnotation(pdf: PdfDocument, annotation: PdfDict, turn: Matrix, add: AddStream): PdfDict {
  const rect = numbers(pdf, annotation.get('Rect'));
  if (rect.length !== 4) return annotation;
  const turned: PdfDict = new Map(annotation);
  const points = POINTS.filter((key) => annotation.has(key));
  for (const key of points) turned.set(key, turnPoints(pdf, annotation.get(key)!, turn));
  const appearance = isMark(pdf, annotation) ? findAppearance(pdf, annotation) : undefined;
  if (points.length === 0 && appearance === undefined) return turned.set('Rect', moveRectangle(rect, turn));
  const around = mapBox(turn, rect);
  turned.set('Rect', around);
  if (appearance === undefined) return turned;
  const placed = multiply(appearance.matrix, turn);
  const form: PdfDict = new Map<string, PdfValue>([
    ['Type', name('XObject')],
    ['Subtype', name('Form')],
    ['BBox', around],
    ['Resources', new Map([['XObject', new Map([['A', appearance.form]])]])],
  ]);
  const drawn = add(form, Buffer.from(`q ${inContent(placed)} cm /A Do Q`, 'latin1'));
  return turned.set('AP', new Map([['N', drawn]]));
}

function isMark(pdf: PdfDocument, annotation: PdfDict): boolean {
  const subtype = pdf.resolve(annotation.get('Subtype'));
  return isName(subtype) && MARKS.has(subtype.value);
}

/** Returns the form that shows an annotation and its matrix to the page; undefined for one with several states. */
function findAppearance(pdf: PdfDocument, annotation: PdfDict): { form: PdfRef; matrix: Matrix } | undefined {
  const appearances = pdf.resolve(annotation.get('AP'));
  const form = isDict(appearances) ? appearances.get('N') : undefined;
  const stream = pdf.resolve(form);
  if (!isRef(form) || !isStream(stream)) return undefined;
  const matrix = appearanceMatrix(pdf, stream, numbers(pdf, annotation.get('Rect')));
  return matrix && { form, matrix };
}

/** Maps all pairs of numbers in an array and in the arrays inside it. */
function turnPoints(pdf: PdfDocument, value: PdfValue, turn: Matrix): PdfValue {
  const items = pdf.resolve(value);
  if (!Array.isArray(items)) return items;
  const found = items.map(pdf.resolve);
  if (!found.every((item) => typeof item === 'number')) return found.map((item) => turnPoints(pdf, item, turn));
  return Array.from({ length: found.length >> 1 }, (_, k) => mapPoint(turn, found[2 * k]!, found[2 * k + 1]!)).flat();
}

/** Returns a rectangle of the same size around the moved centre. */
export function moveRectangle(rect: readonly number[], turn: Matrix): number[] {
  const [x0, y0, x1, y1] = rect as [number, number, number, number];
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const [movedX, movedY] = mapPoint(turn, x, y);
  return [x0 + movedX - x, y0 + movedY - y, x1 + movedX - x, y1 + movedY - y];
}
