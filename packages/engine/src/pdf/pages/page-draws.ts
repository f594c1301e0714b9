import type { Draw } from './draw-list.ts';
import type { ContentWalker, PageDraws } from './content-walker.ts';
import { decodeContent } from './decode-content.ts';
import { mapBox, multiply, type Matrix } from './matrix.ts';
import {
  isDict,
  isName,
  isStream,
  type Page,
  type PdfDict,
  type PdfDocument,
  type PdfStream,
  type PdfValue,
} from '@burnish/pdf';

/** Returns every image that a page draws in its content or in the appearances of its annotations, in points. */
export function drawsOfPage(pdf: PdfDocument, walker: ContentWalker, page: Page): readonly Draw[] {
  const drawn = walker.openPage();
  const unit: Matrix = [page.userUnit, 0, 0, page.userUnit, 0, 0];
  drawn.addContent(decodeContent(pdf, contentsOfPage(pdf, page)), page.resources, unit);
  const annotations = pdf.resolve(page.dict.get('Annots'));
  if (Array.isArray(annotations)) {
    for (const annotation of annotations) drawAppearance(pdf, walker, pdf.resolve(annotation), unit, drawn);
  }
  return drawn.draws;
}

export function contentsOfPage(pdf: PdfDocument, { dict }: Page): PdfStream[] {
  const contents = pdf.resolve(dict.get('Contents'));
  return (Array.isArray(contents) ? contents.map(pdf.resolve) : [contents]).filter(isStream);
}

/**
 * Draws the normal appearance of the annotation's current state. Hidden annotations count too, since a user can show
 * them.
 */
function drawAppearance(
  pdf: PdfDocument,
  walker: ContentWalker,
  annotation: PdfValue,
  unit: Matrix,
  drawn: PageDraws,
): void {
  if (!isDict(annotation)) return;
  const appearances = pdf.resolve(annotation.get('AP'));
  const normal = isDict(appearances) ? pdf.resolve(appearances.get('N')) : null;
  const rect = numbers(pdf, annotation.get('Rect'));
  const hidden = walker.isOff(annotation.get('OC'));
  for (const form of appearanceForms(pdf, annotation, normal)) {
    const matrix = appearanceMatrix(pdf, form, rect);
    if (matrix) drawn.addForm(form, multiply(matrix, unit), { hidden });
  }
}

function appearanceForms(pdf: PdfDocument, annotation: PdfDict, normal: PdfValue): PdfStream[] {
  if (isStream(normal)) return [normal];
  if (!isDict(normal)) return [];
  const state = pdf.resolve(annotation.get('AS'));
  const chosen = isName(state) ? pdf.resolve(normal.get(state.value)) : null;
  return isStream(chosen) ? [chosen] : [];
}

/**
 * Returns the matrix from the appearance's box, transformed by its own matrix, to the annotation's rectangle (ISO
 * 32000-1 section 12.5.5, algorithm 8.1).
 * @returns undefined when the box is empty
 */
export function appearanceMatrix(pdf: PdfDocument, form: PdfStream, rect: number[]): Matrix | undefined {
  const box = numbers(pdf, form.dict.get('BBox'));
  const matrix = numbers(pdf, form.dict.get('Matrix'));
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = matrix;
  if (box.length < 4 || rect.length < 4) return undefined;
  const [x, y, right, top] = mapBox([a, b, c, d, e, f], box);
  const [width, height] = [right - x, top - y];
  if (!(width > 0) || !(height > 0)) return undefined;
  const [x0, y0, x1, y1] = rect as [number, number, number, number];
  const [across, up] = [Math.abs(x1 - x0) / width, Math.abs(y1 - y0) / height];
  return [across, 0, 0, up, Math.min(x0, x1) - x * across, Math.min(y0, y1) - y * up];
}

/** Returns the numbers of an array; none for another value. */
export function numbers(pdf: PdfDocument, value: PdfValue | undefined): number[] {
  const found = pdf.resolve(value);
  return Array.isArray(found) ? found.map(pdf.resolve).filter((item): item is number => typeof item === 'number') : [];
}
