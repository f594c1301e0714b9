import { writeFileSync } from 'node:fs';
import { resolvePdfParameters, type EnhancementParameters, type PdfParameters } from '@burnish/contract/engine';
import { outcomeInWords, priceFindings, type PdfAnalysis } from '@burnish/contract';
import { openPdfDocument } from '@burnish/pdf';
import { analyzePdf, enhancePdf } from '../../src/pdf/enhance/enhance.ts';
import { describePdfImages, type DescribePdfImagesInput } from '../../src/pdf/analyze/describe-images.ts';
import type { PdfFacts } from '../../src/pdf/analyze/facts.ts';
import type { AssembledPdf } from '../../src/pdf/enhance/assemble.ts';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { decodeImage } from '../../src/pdf/images/image-decoder.ts';
import type { Matrix } from '../../src/pdf/pages/matrix.ts';
import type { Picture } from '../../src/image/picture.ts';

export const parametersOf = (given: EnhancementParameters = {}): PdfParameters => resolvePdfParameters(given, 1200);

/** Size in pixels of the image that most tests draw, at 72 pixels per inch. */
export const [WIDTH, HEIGHT] = [120, 90] as const;

/** Parameters without any change of colour. */
export const RESIZE_ONLY = parametersOf({ customColorConfig: { auto: false } });

/** Requests twice the size of an image that is drawn at 72 pixels per inch. */
export const DOUBLED: PdfParameters = { ...RESIZE_ONLY, targetResolution: 144 };

export { enhancePdf };

export interface Enhanced extends AssembledPdf {
  inputPath: string;
  outputPath: string;
}

/** Enhances a file with the given bytes. */
export async function enhanceBytes(
  bytes: Buffer,
  path: string,
  parameters: PdfParameters,
  more: Partial<PdfParameters> = {},
): Promise<Enhanced> {
  const [inputPath, outputPath] = [`${path}.pdf`, `${path}.out.pdf`];
  writeFileSync(inputPath, bytes);
  return {
    ...(await enhancePdf({ inputPath, outputPath, parameters: { ...parameters, ...more } })),
    inputPath,
    outputPath,
  };
}

/** Describes the images of a PDF, with outcomes as reports word them. */
export async function describeInWords(input: DescribePdfImagesInput) {
  const { images, ...list } = await describePdfImages(input);
  return { ...list, images: images.map((image) => ({ ...image, outcome: outcomeInWords(image.outcome) })) };
}

/** Analyzes a PDF, with prices. */
export async function analyzeBytes(bytes: Buffer, path: string): Promise<{ analysis: PdfAnalysis; facts: PdfFacts }> {
  writeFileSync(`${path}.pdf`, bytes);
  const { findings, facts } = await analyzePdf({ inputPath: `${path}.pdf` });
  return { analysis: priceFindings(findings), facts };
}

/** Reads the samples of an image object of a file, in its own colour space. */
export async function samplesOf(path: string, number = 10): Promise<Picture> {
  const pdf = openPdfDocument(path);
  try {
    return await decodeImage(pdf, readImageFacts(pdf, number)!);
  } finally {
    pdf.close();
  }
}

/** Computes the resolution of an image drawn in the unit square that a matrix maps to points: pixels per inch along rows and columns. */
export function computeResolution([a, b, c, d]: Matrix, width: number, height: number): { x: number; y: number } {
  return { x: (72 * width) / Math.hypot(a, b), y: (72 * height) / Math.hypot(c, d) };
}
