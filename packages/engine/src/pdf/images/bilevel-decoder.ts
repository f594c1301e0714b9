import type { Picture } from '../../image/picture.ts';
import { machineFault } from '../../machine-fault.ts';
import { DamagedImage } from './damaged-image.ts';
import type { ImageFacts } from './image-facts.ts';
import { isWholeJbig2, withoutFileHeader } from './jbig2-segments.ts';
import { isStream, name, ref, serialize, type PdfDict, type PdfDocument, type PdfValue } from '@burnish/pdf';
import { drawPdfiumPage, loadPdfiumPage, openWithPdfium } from '../pdfium.ts';

/** Maximum pixels that PDFium draws at once, so that its memory does not grow with the image. */
const BAND_PIXELS = 16_000_000;
/** Object numbers of the PDF for PDFium. The pages follow, each with its content stream. */
const [IMAGE, GLOBALS, FIRST_PAGE] = [3, 4, 5];
const EMPTY = Buffer.alloc(0);
/** Parameters of CCITTFaxDecode (ISO 32000-1 table 11). */
const FAX_PARAMETERS = ['K', 'EndOfLine', 'EncodedByteAlign', 'Columns', 'Rows', 'EndOfBlock', 'BlackIs1'];

/**
 * Decodes CCITT and JBIG2 data. PDFium draws the image, one point per pixel, from a PDF that contains nothing else.
 * @param data decoded up to the filter of the image
 * @returns samples of 0 and 255, before `Decode`
 * @throws DamagedImage when data is missing, or PDFium draws less than the whole image
 */
export async function decodeBilevel(pdf: PdfDocument, image: ImageFacts, data: Buffer): Promise<Picture> {
  const { width, height } = image;
  const rows = Math.max(1, Math.min(height, Math.floor(BAND_PIXELS / width)));
  const coded = image.encoding === 'JBIG2Decode' ? jbig2Data(pdf, image, data) : { data, globals: undefined };
  const samples = new Uint8Array(width * height);
  try {
    const document = await openWithPdfium(createDocument(pdf, image, coded, rows));
    for (let top = 0; top < height; top += rows) {
      const size = { width, height: Math.min(rows, height - top) };
      samples.set(drawPdfiumPage(document, loadPdfiumPage(document, top / rows), size, 'GREY'), top * width);
    }
  } catch (error) {
    throw machineFault(error) ?? new DamagedImage('an image of one bit does not decode', { cause: error });
  }
  if (samples.some((sample) => sample !== 0 && sample !== 255)) throw new DamagedImage('a part of an image is missing');
  return { data: samples, width, height, channels: 1, space: 'grey', hasAlpha: false };
}

const readParameters = (pdf: PdfDocument, { stream }: ImageFacts): PdfDict =>
  pdf.filters(stream).at(-1)?.parameters ?? new Map<string, PdfValue>();

interface Coded {
  data: Buffer;
  /** The global JBIG2 segments, which several images share; undefined without any */
  globals: Buffer | undefined;
}

function jbig2Data(pdf: PdfDocument, image: ImageFacts, own: Buffer): Coded {
  const shared = readParameters(pdf, image).get('JBIG2Globals');
  const [data, globals] = [own, isStream(shared) ? pdf.decode(shared, 'objectStreamBytes').data : EMPTY].map(
    withoutFileHeader,
  ) as [Buffer, Buffer];
  if (data.length === 0) throw new DamagedImage('the image has no JBIG2 data');
  if (!isWholeJbig2(data) || !isWholeJbig2(globals)) throw new DamagedImage('a segment of JBIG2 data is cut');
  return { data, globals: globals.length > 0 ? globals : undefined };
}

function createDocument(pdf: PdfDocument, image: ImageFacts, { data, globals }: Coded, rows: number): Buffer {
  const { width, height, encoding } = image;
  const given = readParameters(pdf, image);
  const parameters: PdfDict = new Map(
    FAX_PARAMETERS.flatMap((key): [string, PdfValue][] => {
      const value = given.get(key);
      return typeof value === 'number' || typeof value === 'boolean' ? [[key, value]] : [];
    }),
  );
  const objects = new Map<number, Buffer>();
  if (globals) {
    parameters.set('JBIG2Globals', ref(GLOBALS));
    objects.set(GLOBALS, serializeStream(new Map(), globals));
  }
  const entries: [string, PdfValue][] = [
    ['Type', name('XObject')],
    ['Subtype', name('Image')],
    ['Width', width],
    ['Height', height],
    ['ColorSpace', name('DeviceGray')],
    ['BitsPerComponent', 1],
    ['Filter', name(encoding!)],
    ['DecodeParms', parameters],
  ];
  objects.set(IMAGE, serializeStream(new Map(entries), data));
  const pages: PdfValue[] = [];
  for (let top = 0; top < height; top += rows) {
    const number = FIRST_PAGE + 2 * pages.length;
    const bottom = height - Math.min(height, top + rows);
    const page: [string, PdfValue][] = [
      ['Type', name('Page')],
      ['Parent', ref(2)],
      ['MediaBox', [0, bottom, width, height - top]],
      ['Contents', ref(number + 1)],
      ['Resources', new Map([['XObject', new Map([['Im0', ref(IMAGE)]])]])],
    ];
    objects.set(number, Buffer.from(serialize(new Map(page))));
    // The page is grey, so that pixels missing from the image differ from both of its colours.
    const content = `0.5 g 0 0 ${width} ${height} re f q ${width} 0 0 ${height} 0 0 cm /Im0 Do Q`;
    objects.set(number + 1, serializeStream(new Map(), Buffer.from(content)));
    pages.push(ref(number));
  }
  objects.set(1, Buffer.from(`<</Type/Catalog/Pages 2 0 R>>`));
  objects.set(2, Buffer.from(`<</Type/Pages/Kids ${serialize(pages)}/Count ${pages.length}>>`));
  return serializeFile(objects);
}

function serializeStream(dict: PdfDict, data: Buffer): Buffer {
  const head = serialize(new Map(dict).set('Length', data.length));
  return Buffer.concat([Buffer.from(`${head}\nstream\n`), data, Buffer.from('\nendstream')]);
}

function serializeFile(objects: ReadonlyMap<number, Buffer>): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  const size = Math.max(...objects.keys()) + 1;
  const offsets = new Map<number, number>();
  let position = parts[0]!.length;
  for (const [number, object] of objects) {
    const bytes = Buffer.concat([Buffer.from(`${number} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.set(number, position);
    parts.push(bytes);
    position += bytes.length;
  }
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const trailer = `trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${position}\n%%EOF\n`;
  parts.push(Buffer.from(`xref\n0 ${size}\n${rows.join('')}${trailer}`));
  return Buffer.concat(parts);
}
