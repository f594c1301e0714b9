/** Segment types of JBIG2 data (ITU-T T.88 section 7.3). */
const [SYMBOLS, PAGE, END_OF_PAGE, END_OF_STRIPE, END_OF_FILE, PROFILES, EXTENSION] = [0, 48, 49, 50, 51, 52, 62];
const TEXT_REGIONS = [6, 7];
const GENERIC_REGIONS = [38, 39];
const REGIONS = [...TEXT_REGIONS, ...GENERIC_REGIONS];
const WITHOUT_PIXELS = [END_OF_PAGE, END_OF_STRIPE, END_OF_FILE, PROFILES, EXTENSION];
/** Bytes before every region: its size, position and combination operator. */
const REGION_BYTES = 17;
/** Positions of the adaptive pixels that nearly every encoder uses, by template. */
const USUAL_PIXELS = ['03fffdff02fefefe', '03ff', '02ff', '02ff'];
const MOST_SEGMENTS = 100_000;

interface Segment {
  type: number;
  data: Buffer;
}

/**
 * Returns whether JBIG2 data uses only features of scanners and common encoders, which PDFium decodes bit-exactly.
 * These are generic regions, symbols and text in arithmetic coding, drawn over one another. PDFium draws some other
 * features wrongly, such as regions in fax coding.
 * @param data data of the image or of its globals
 */
export function isCommonJbig2(data: Buffer): boolean {
  try {
    const segments = readSegments(data);
    const regions = segments.filter(({ type }) => REGIONS.includes(type));
    return segments.every(isCommon) && regions.every(isOverlaid);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isCommon({ type, data }: Segment): boolean {
  if (WITHOUT_PIXELS.includes(type)) return true;
  // The page is initially white.
  if (type === PAGE) return (data.readUInt8(16) & 0x04) === 0;
  if (type === SYMBOLS) {
    const flags = data.readUInt16BE(0);
    const [isHuffman, isRefined] = [flags & 1, flags & 2];
    return !isHuffman && !isRefined && hasUsualPixels(data, 2, (flags >> 10) & 3);
  }
  if (TEXT_REGIONS.includes(type)) {
    const flags = data.readUInt16BE(REGION_BYTES);
    const [isHuffman, isRefined, combination] = [flags & 1, flags & 2, (flags >> 7) & 3];
    return !isHuffman && !isRefined && combination === 0;
  }
  if (!GENERIC_REGIONS.includes(type)) return false;
  const flags = data.readUInt8(REGION_BYTES);
  const [isFax, isExtended] = [flags & 1, flags & 16];
  return !isFax && !isExtended && hasUsualPixels(data, REGION_BYTES + 1, (flags >> 1) & 3);
}

/** On an initially white page, these operators give the same pixels: OR, XOR and REPLACE. */
const ON_WHITE = [0, 2, 4];

function isOverlaid({ data }: Segment, index: number): boolean {
  const combination = data.readUInt8(16) & 7;
  return index === 0 ? ON_WHITE.includes(combination) : combination === 0;
}

function hasUsualPixels(data: Buffer, at: number, template: number): boolean {
  const usual = USUAL_PIXELS[template]!;
  return data.toString('hex', at, at + usual.length / 2) === usual;
}

/** @throws RangeError when a segment is truncated or its length is unknown */
function readSegments(data: Buffer): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  const read = (bytes: number): number => {
    at += bytes;
    return data.readUIntBE(at - bytes, bytes);
  };
  // Some writers add an end-of-line marker after the last segment.
  while (data.length - at > 2) {
    const number = read(4);
    const flags = read(1);
    let references = data.readUInt8(at) >> 5;
    if (references < 7) at += 1;
    else {
      references = read(4) & 0x1fffffff;
      at += Math.ceil((references + 1) / 8);
    }
    at += references * (number <= 256 ? 1 : number <= 65_536 ? 2 : 4) + (flags & 0x40 ? 4 : 1);
    const length = read(4);
    if (at + length > data.length || segments.length >= MOST_SEGMENTS) throw new RangeError('A segment is cut.');
    segments.push({ type: flags & 63, data: data.subarray(at, at + length) });
    at += length;
  }
  return segments;
}
