import type { PdfDocument } from '@burnish/pdf';

/**
 * Returns what work finds in a document whose cross-reference data do not change meanwhile. An object at a wrong place has them rebuilt,
 * once a document, and other objects may count then: the work is done again.
 */
export async function onSettled<Result>(pdf: PdfDocument, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const before = pdf.xref();
    const result = await work();
    if (pdf.xref() === before) return result;
  }
}
