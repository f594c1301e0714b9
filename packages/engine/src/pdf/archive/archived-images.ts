import { createParser, isKeyword, isName, isStream, type PdfDict, type PdfStream, type PdfValue } from '@burnish/pdf';
import { readJpxHeader } from '../images/jpx-header.ts';
import { addObstacle, dropKeys, type ArchivePass } from './archive-pass.ts';
import type { ColourChecker } from './colour-spaces.ts';
import { isIntent } from './graphics-states.ts';

const DEPTHS = new Set<PdfValue>([1, 2, 4, 8, 16]);
const INLINE_FILTERS = new Set(
  `AHx A85 RL Fl CCF DCT ASCIIHexDecode ASCII85Decode RunLengthDecode FlateDecode CCITTFaxDecode DCTDecode`.split(
    /\s+/,
  ),
);

/** Checks an image, its masks and its colours (ISO 19005-2 section 6.2.8). Alternates show on no screen. */
export function checkImage(pass: ArchivePass, colours: ColourChecker, image: PdfStream): void {
  const { objects } = pass;
  const { dict } = image;
  dropKeys(pass, dict, ['OPI', 'Alternates']);
  if (objects.resolve(dict.get('Interpolate')) === true) dropKeys(pass, dict, ['Interpolate']);
  if (dict.has('Intent') && !isIntent(pass, dict.get('Intent'))) addObstacle(pass, 'intent');
  const space = dict.get('ColorSpace');
  const isJpx = pass.pdf.filters(image).some(({ filter }) => filter === 'JPXDecode');
  const isStencil = objects.resolve(dict.get('ImageMask')) === true;
  if (isJpx) checkJpx(pass, image);
  else if (!isStencil && !DEPTHS.has(objects.resolve(dict.get('BitsPerComponent')))) addObstacle(pass, 'image');
  if (isStencil && objects.resolve(dict.get('BitsPerComponent') ?? 1) !== 1) addObstacle(pass, 'image');
  if (space !== undefined && !isStencil) {
    const replaced = colours.check(space);
    if (replaced !== space) objects.edit(dict).set('ColorSpace', replaced);
  }
  for (const key of ['SMask', 'Mask']) {
    const mask = objects.resolve(dict.get(key));
    if (isStream(mask) && !mask.dict.has('SMask') && !mask.dict.has('Mask')) checkImage(pass, colours, mask);
    else if (isStream(mask)) addObstacle(pass, 'image');
  }
}

/** Only a colour space of the PDF's own, or a plain one of the file, has a colour without doubt. */
function checkJpx(pass: ArchivePass, image: PdfStream): void {
  const data = pass.pdf.decode(image, 'imageBytes').data;
  const header = readJpxHeader(data);
  const isKnown = header?.colorSpace === 16 || header?.colorSpace === 17 || image.dict.has('ColorSpace');
  const isPlain = header !== undefined && header.plain && !header.special && [1, 3, 4].includes(header.components);
  const boxes = data.subarray(0, 4096);
  const hasOneColour = boxes.indexOf('colr') === boxes.lastIndexOf('colr') && boxes.includes('jP  ');
  if (!isKnown || !isPlain || !hasOneColour || header.alpha !== undefined) addObstacle(pass, 'image');
}

/**
 * Whether PDF/A allows an inline image.
 * @param raw from `BI` to `EI`
 * @param checkSpace gets the name of its colour space
 */
export function isInlineImageAllowed(raw: Buffer, checkSpace: (space: PdfValue) => void): boolean {
  const dict = readInlineDict(raw);
  const either = (long: string, short: string): PdfValue => dict.get(long) ?? dict.get(short) ?? null;
  const filter = either('Filter', 'F');
  const filters = Array.isArray(filter) ? filter : filter === null ? [] : [filter];
  const space = either('ColorSpace', 'CS');
  if (isName(space)) checkSpace(space);
  const isIndexed = Array.isArray(space);
  return (
    filters.every((each) => isName(each) && INLINE_FILTERS.has(each.value)) &&
    either('Interpolate', 'I') !== true &&
    !dict.has('Intent') &&
    // An indexed one of CMYK would need a name.
    (!isIndexed || !space.some((part) => isName(part) && /CMYK/.test(part.value)))
  );
}

function readInlineDict(raw: Buffer): PdfDict {
  const parser = createParser(raw, { references: false });
  const dict: PdfDict = new Map();
  parser.next();
  for (;;) {
    const key = parser.next();
    if (isKeyword(key)) return dict;
    const value = parser.next();
    if (isKeyword(value)) return dict;
    if (isName(key)) dict.set(key.value, value);
  }
}
