import { writeFileSync } from 'node:fs';
import {
  resolvePdfParameters,
  type EnhancementParameters,
  type PdfParameters,
} from '../../../src/domain/enhancement/parameters.ts';
import { bufferSource } from '../../../src/engine/pdf/syntax/byte-source.ts';
import { createPdfDocument, openPdfDocument, type PdfDocument } from '../../../src/engine/pdf/document/pdf-document.ts';
import { analyzePdf, enhancePdf } from '../../../src/engine/pdf/enhance/enhance.ts';
import type { AssembledPdf } from '../../../src/engine/pdf/enhance/assemble.ts';
import { readImageFacts } from '../../../src/engine/pdf/images/image-facts.ts';
import { decodeImage } from '../../../src/engine/pdf/images/image-decoder.ts';
import type { Picture } from '../../../src/engine/image/picture.ts';

export const parametersOf = (given: EnhancementParameters = {}): PdfParameters => resolvePdfParameters(given, 1200);

/** Size in pixels of the image that most tests draw, at 72 pixels per inch. */
export const [WIDTH, HEIGHT] = [120, 90] as const;

/** Parameters without any change of colour. */
export const RESIZE_ONLY = parametersOf({ customColorConfig: { auto: false } });

/** Requests twice the size of an image that is drawn at 72 pixels per inch. */
export const DOUBLED: PdfParameters = { ...RESIZE_ONLY, targetResolution: 144 };

export const storeOf = (bytes: Buffer): PdfDocument => createPdfDocument(bufferSource(bytes));

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

export function analyzeBytes(bytes: Buffer, path: string): ReturnType<typeof analyzePdf> {
  writeFileSync(`${path}.pdf`, bytes);
  return analyzePdf({ inputPath: `${path}.pdf` });
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
