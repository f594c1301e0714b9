import type { ImageWork } from '../analyze/work.ts';
import { createContentWalker } from '../pages/content-walker.ts';
import { contentOperators } from '../pages/content-operators.ts';
import { decodeContent } from '../pages/decode-content.ts';
import { IDENTITY, invert, multiply, toMatrix, type Matrix } from '../pages/matrix.ts';
import { computeExtent, type PicturePart } from '../pages/neighbours.ts';
import { contentsOfPage, drawsOfPage } from '../pages/page-draws.ts';
import { readImageFacts } from '../images/image-facts.ts';
import { isDict, isName, isRef, SyntaxFault, type Page, type PdfDocument } from '@burnish/pdf';

/** Longest content of a page that is turned, bytes as stored. */
const MOST_CONTENT = 1_000_000;
/** How much the sides of a pixel may differ on a turned page. */
const MOST_STRETCH = 0.1;

/** Where the content of a page draws an image. */
export interface PlacedDraw {
  /** Maps the unit square to the user space of the page */
  matrix: Matrix;
  /** Bytes of the content from the name of the image to the end of the operator */
  from: number;
  to: number;
}

/** A page and the scan that fills it. */
export interface ScanOfPage {
  page: Page;
  content: () => Buffer;
  draws: PlacedDraw[];
  /** Graphics states that the content saves and does not restore */
  unclosed: number;
  /** Maps pixels of the scan, from its top left corner, to the user space of the page */
  pixels: Matrix;
  /** Pixels of the scan */
  width: number;
  height: number;
}

/**
 * Finds a scan in the content of its page.
 * @returns undefined for a page that cannot be turned: its content does not draw each part once by itself, contains
 * patterns, which keep their direction, or cannot be enclosed.
 */
export function findScanOfPage(
  pdf: PdfDocument,
  page: Page,
  { number: image, parts }: Pick<ImageWork, 'number' | 'parts'>,
): ScanOfPage | undefined {
  if (page.number === 0) return undefined;
  const streams = contentsOfPage(pdf, page);
  if (streams.reduce((sum, stream) => sum + pdf.rawLength(stream), 0) > MOST_CONTENT) return undefined;
  const own = parts ?? singlePart(pdf, image);
  const { width, height } = computeExtent(own);
  const numbers = new Set<unknown>(own.map(({ number }) => number));
  const shown = drawsOfPage(pdf, createContentWalker(pdf), page).filter((draw) => numbers.has(draw.image));
  if (shown.length !== own.length || shown.some(({ count, inPattern }) => count > 1 || inPattern)) return undefined;
  const content = (): Buffer => decodeContent(pdf, streams);
  const found = drawsInContent(pdf, page, content(), numbers);
  if (found?.draws.length !== own.length) return undefined;
  const pixels = pixelsOf(
    own.find(({ number }) => number === found.draws[0]!.image)!,
    found.draws[0]!.matrix,
  );
  const [across, down] = [Math.hypot(pixels[0], pixels[1]), Math.hypot(pixels[2], pixels[3])];
  if (Math.abs(across / down - 1) > MOST_STRETCH) return undefined;
  if (found.draws.some(({ matrix }) => invert(matrix) === undefined)) return undefined;
  return { page, content, ...found, pixels, width, height };
}

function singlePart(pdf: PdfDocument, number: number): PicturePart[] {
  const facts = readImageFacts(pdf, number);
  return facts === undefined ? [] : [{ number, x: 0, y: 0, width: facts.width, height: facts.height }];
}

/** @returns undefined when the content cannot be enclosed in a new matrix */
function drawsInContent(
  pdf: PdfDocument,
  { resources }: Page,
  content: Buffer,
  numbers: ReadonlySet<unknown>,
): { draws: (PlacedDraw & { image: number })[]; unclosed: number } | undefined {
  const objects = pdf.resolve(resources.get('XObject'));
  const draws: (PlacedDraw & { image: number })[] = [];
  const saved: Matrix[] = [];
  let matrix = IDENTITY;
  try {
    for (const { name, operands, from, to } of contentOperators(content)) {
      const last = operands.at(-1);
      if (name === 'q') saved.push(matrix);
      else if (name === 'Q') {
        const before = saved.pop();
        if (before === undefined) return undefined;
        matrix = before;
      } else if (name === 'cm') matrix = multiply(toMatrix(operands.slice(-6)), matrix);
      else if ((name === 'scn' || name === 'SCN') && isName(last)) return undefined;
      else if (name === 'Do' && isName(last) && isDict(objects)) {
        const image = objects.get(last.value);
        if (isRef(image) && numbers.has(image.number)) draws.push({ image: image.number, matrix, from, to });
      }
    }
  } catch (error) {
    if (error instanceof SyntaxFault) return undefined;
    throw error;
  }
  return { draws, unclosed: saved.length };
}

/** Returns the matrix from the pixels of a picture to the page, by the place of one of its parts. */
function pixelsOf({ x, y, width, height }: PicturePart, matrix: Matrix): Matrix {
  return multiply([1 / width, 0, 0, -1 / height, -x / width, 1 + y / height], matrix);
}
