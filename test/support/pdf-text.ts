import { countPdfiumPages, loadPdfiumPage, openWithPdfium } from '../../packages/engine/src/pdf/pdfium.ts';

/** The text of each page, as a reader finds it. */
export async function pdfTexts(bytes: Uint8Array): Promise<string[]> {
  const document = await openWithPdfium(bytes);
  const { pdfium, memory } = document;
  return Array.from({ length: countPdfiumPages(document) }, (_, index) => {
    const text = pdfium.FPDFText_LoadPage(loadPdfiumPage(document, index));
    const count = pdfium.FPDFText_CountChars(text);
    const at = memory.wasmExports.malloc((count + 1) * 2);
    const written = pdfium.FPDFText_GetText(text, 0, count, at);
    // A null ends the text.
    const bytesOfText = memory.HEAPU8.slice(at, at + Math.max(0, written - 1) * 2);
    return new TextDecoder('utf-16le').decode(bytesOfText);
  });
}
