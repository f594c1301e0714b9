import { EngineError } from '@burnish/contract/engine';
import type { PdfFacts } from '../analyze/facts.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { inspectStructure } from '../analyze/inspect.ts';
import { isStream, type PdfDocument, type PdfStream } from '@burnish/pdf';
import type { DataHeader, StoredObject } from './result-file.ts';
import type { Run } from '../run.ts';
import { withPdf } from '../with-pdf.ts';

/** Numbers of the pages and images of a file. */
export type PagesAndImages = Pick<PdfFacts, 'pages' | 'images'>;

/**
 * Opens a new file as an untrusted file. Verifies that it has its pages and images, and that each new image is complete and has
 * its size.
 * @throws EngineError INTERNAL: such a file must never be delivered
 */
export async function verifyOutput(
  path: string,
  wanted: PagesAndImages,
  objects: readonly StoredObject[],
  { password, ...run }: Run & { password?: string },
): Promise<void> {
  await withPdf({ inputPath: path, password }, async (pdf) => {
    const { pages, found, inline } = await inspectStructure(pdf, run);
    if (pdf.xref().rebuilt) throw wrong('the cross-reference data does not hold');
    if (pages !== wanted.pages) throw wrong(`there are ${pages} pages for ${wanted.pages}`);
    if (found.length + inline !== wanted.images)
      throw wrong(`there are ${found.length + inline} images for ${wanted.images}`);
    for (const { number, image, mask } of objects) {
      const found = readImageFacts(pdf, number);
      if (image) check(pdf, `image ${number}`, found, image.header);
      const masking = found && findMask(pdf, found.stream);
      if (mask) check(pdf, `the mask of image ${number}`, masking && readImageFacts(pdf, masking.number), mask.header);
    }
  });
}

/** Returns whether a scan of a file's objects finds other pages or images than its cross-reference data. */
export async function contradictsItself(
  path: string,
  facts: PagesAndImages,
  { password, ...run }: Run & { password?: string },
): Promise<boolean> {
  return withPdf({ inputPath: path, password }, async (pdf) => {
    pdf.rebuild();
    const { pages, found, inline } = await inspectStructure(pdf, run);
    return pages !== facts.pages || found.length + inline !== facts.images;
  });
}

function check(pdf: PdfDocument, what: string, found: ImageFacts | undefined, header: DataHeader): void {
  if (found?.width !== header.width || found.height !== header.height) throw wrong(`${what} has another size`);
  const bytes = pdf.rawLength(found.stream);
  if (pdf.encryption ? bytes < header.bytes : bytes !== header.bytes) throw wrong(`${what} is not whole`);
}

function findMask(pdf: PdfDocument, { dict }: PdfStream): PdfStream | undefined {
  return [dict.get('SMask'), dict.get('Mask')].map(pdf.resolve).find(isStream);
}

function wrong(what: string): EngineError {
  return new EngineError('INTERNAL', { detail: 'The enhanced PDF did not pass its check.', cause: new Error(what) });
}
