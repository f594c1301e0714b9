import sharp from 'sharp';
import { cleanPage } from '../../packages/engine/src/image/document/clean-page.ts';
import { inFewColours } from '../../packages/engine/src/image/document/few-colours.ts';
import { findComponents } from '../../packages/engine/src/image/document/marks.ts';
import { paintTwoTones } from '../../packages/engine/src/image/document/two-tones.ts';
import type { Picture } from '../../packages/engine/src/image/picture.ts';
import { packIndexes } from '../../packages/engine/src/pdf/images/palette.ts';
import { readWords, wordErrors } from './judge-page.ts';
import { readSourcePages, type SourcePage } from './source-pages.ts';

/** Steps between the 16 greys of a clean page. */
const GREY_STEP = 17;

/** Bytes of a clean page in each coding. */
interface Sizes {
  greys: number;
  fax: number;
  oneBit: number;
}

/**
 * Cleans pages of PDFs and pictures, and prints the bytes of those of two tones in 16 greys, in fax coding and as the engine stores them,
 * with the marks of ink and the words misread in greys and in one bit.
 */
export async function measureTwoTonePages(folder: string, every: number): Promise<void> {
  const all: Sizes[] = [];
  let pages = 0;
  for await (const page of readSourcePages(folder, every)) {
    pages += 1;
    const { picture, clean } = cleanPage({ ...page.picture, data: page.picture.data.slice() });
    const greys = clean && inFewColours(picture, clean);
    const toned = greys && { ...greys, data: greys.data.slice() };
    if (!greys || !toned || !clean || !paintTwoTones(toned, page.dpi, clean)) {
      console.log(`${page.name}: ${greys ? 'greys' : 'not cleaned'}`);
      continue;
    }
    const sizes = { greys: await sizeIn(greys, 16), fax: await sizeInFax(toned), oneBit: await sizeIn(toned, 2) };
    all.push(sizes);
    const marks = [greys, toned].map(countMarks).join(' → ');
    const errors = await Promise.all([greys, toned].map((each) => misread(page, each)));
    console.log(`${page.name}: ${inWords(sizes)}; marks ${marks}, words misread ${errors.join(' → ')}`);
  }
  const sum = (of: keyof Sizes): number => all.reduce((total, each) => total + each[of], 0);
  const total = { greys: sum('greys'), fax: sum('fax'), oneBit: sum('oneBit') };
  console.log(`${all.length} of ${pages} pages have two tones: ${inWords(total)}.`);
}

const inWords = ({ greys, fax, oneBit }: Sizes): string =>
  `${greys} bytes in greys, ${fax} in fax coding, ${oneBit} in one bit, ${(greys / oneBit).toFixed(2)} times smaller`;

async function sizeIn({ data, width, height, channels }: Picture, colours: 2 | 16): Promise<number> {
  const step = colours === 2 ? 255 : GREY_STEP;
  const indexes = Uint8Array.from({ length: width * height }, (_, at) => Math.round(data[at * channels]! / step));
  const entries = Buffer.from(Array.from({ length: colours }, (_, at) => Array<number>(3).fill(at * step)).flat());
  return (await packIndexes({ data: indexes, width, height }, entries)).data.length;
}

const sizeInFax = async (picture: Picture): Promise<number> =>
  (await open(picture).toColourspace('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer()).length;

const open = ({ data, width, height, channels }: Picture) =>
  sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false });

const countMarks = ({ data, width, height, channels }: Picture): number =>
  findComponents(width, height, (at) => data[at * channels]! < 128).count;

async function misread({ words, dpi }: SourcePage, picture: Picture): Promise<string> {
  if (words.length === 0) return '–';
  return `${(100 * wordErrors(words, await readWords(await open(picture).png().toBuffer(), dpi))).toFixed(1)} %`;
}
