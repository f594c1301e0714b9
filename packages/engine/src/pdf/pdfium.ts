import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';

/** An instance. The types of the package omit the view of its memory, which is another one after each growth. */
type Instance = WrappedPdfiumModule['pdfium'] & { readonly HEAPU8: Uint8Array };

/** A PDF that PDFium has opened. It owns its instance of PDFium, which is released with it. */
export interface PdfiumDocument {
  pdfium: WrappedPdfiumModule;
  memory: Instance;
  handle: number;
}

/** Formats of bitmaps, and the bytes of a pixel in them (fpdfview.h). */
const FORMATS = { GREY: 1, RGBA: 4 } as const;
/** Flags of drawing (fpdfview.h). */
const [ANNOTATIONS, SUBPIXEL_TEXT, GREYSCALE, RGB_ORDER] = [0x01, 0x02, 0x08, 0x10];
const WHITE = 0xffffffff;

/**
 * Opens a PDF with PDFium, in an instance of its own: a file that corrupts its memory affects no other file.
 * @throws Error when PDFium cannot open it, or the password is missing or wrong
 */
export async function openWithPdfium(bytes: Uint8Array, password = ''): Promise<PdfiumDocument> {
  const wasmBinary = await readFile(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'));
  const silence = { print: () => undefined, printErr: () => undefined };
  const pdfium = await init({ wasmBinary, ...silence });
  pdfium.PDFiumExt_Init();
  const memory = pdfium.pdfium as Instance;
  const at = allocate(memory, bytes.length);
  memory.HEAPU8.set(bytes, at);
  const handle = pdfium.FPDF_LoadMemDocument(at, bytes.length, password);
  if (handle === 0) throw new Error(`PDFium does not open the file: code ${pdfium.FPDF_GetLastError()}.`);
  return { pdfium, memory, handle };
}

export const countPdfiumPages = ({ pdfium, handle }: PdfiumDocument): number => pdfium.FPDF_GetPageCount(handle);

/** Loads a page, by its index from 0. */
export function loadPdfiumPage({ pdfium, handle }: PdfiumDocument, index: number): number {
  const page = pdfium.FPDF_LoadPage(handle, index);
  if (page === 0) throw new Error(`PDFium does not load page ${index + 1}.`);
  return page;
}

/** Returns the size of a loaded page as shown, points. */
export const pdfiumPageSize = ({ pdfium }: PdfiumDocument, page: number): { width: number; height: number } => ({
  width: pdfium.FPDF_GetPageWidth(page),
  height: pdfium.FPDF_GetPageHeight(page),
});

/**
 * Draws a loaded page on white, and closes it. In colours, its annotations and form fields are drawn too.
 * @param size pixels
 */
export function drawPdfiumPage(
  document: PdfiumDocument,
  page: number,
  { width, height }: { width: number; height: number },
  colours: keyof typeof FORMATS,
): Uint8Array {
  const { pdfium, memory } = document;
  const rowBytes = width * FORMATS[colours];
  const at = allocate(memory, rowBytes * height);
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, FORMATS[colours], at, rowBytes);
  if (bitmap === 0) throw new Error('PDFium is out of memory for the page.');
  pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  const form = colours === 'RGBA' ? openForm(document) : 0;
  if (form !== 0) pdfium.FORM_OnAfterLoadPage(page, form);
  const flags = colours === 'GREY' ? GREYSCALE : SUBPIXEL_TEXT | RGB_ORDER;
  pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags | ANNOTATIONS);
  if (form !== 0) {
    pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, flags);
    pdfium.FORM_OnBeforeClosePage(page, form);
  }
  const samples = memory.HEAPU8.slice(at, at + rowBytes * height);
  pdfium.FPDFBitmap_Destroy(bitmap);
  pdfium.FPDF_ClosePage(page);
  memory.wasmExports.free(at);
  return samples;
}

const openForm = ({ pdfium, handle }: PdfiumDocument): number =>
  pdfium.PDFiumExt_InitFormFillEnvironment(handle, pdfium.PDFiumExt_OpenFormFillInfo());

function allocate(memory: Instance, bytes: number): number {
  const at = memory.wasmExports.malloc(bytes);
  if (at === 0) throw new Error(`PDFium is out of memory: it needs ${bytes} bytes.`);
  return at;
}
