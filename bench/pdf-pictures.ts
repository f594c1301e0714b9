import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { buildPdf, imagePage, type BuiltObject } from '../packages/pdf/test/build-pdf.ts';
import { disc, softMask } from '../packages/engine/test/pdf/made-pictures.ts';
import { flateImage, jpegImage, photograph, type Samples } from '../packages/engine/test/pdf/pictures.ts';

/** Pixels of a side of a picture that becomes 250 megapixels, the most that a result may have, at four times the size. */
const SIDE = 3_950;
/** Points of a side on the page: 75 DPI, so that 300 DPI need four times the size. */
const POINTS = (SIDE * 72) / 75;

type Content = { image: { dict: string; data: Buffer }; more?: Record<number, BuiltObject> };

/** Pictures of 15.6 megapixels by their kind. The drawings are coded without loss. */
export const LARGE_PICTURES: Record<string, () => Promise<Content>> = {
  photograph: async () => ({ image: await jpegImage(photograph(SIDE, SIDE)) }),
  'photograph with a soft mask': async () => masked(await jpegImage(photograph(SIDE, SIDE))),
  drawing: async () => ({ image: flateImage(await lines()) }),
  'drawing with a soft mask': async () => masked(flateImage(await lines())),
  'drawing with a palette': async () => ({ image: inPalette(await lines()) }),
  'drawing in inks': async () => ({ image: flateImage(inInks(await lines())) }),
  'drawing in inks with a soft mask': async () => masked(flateImage(inInks(await lines()))),
};

const masked = ({ dict, data }: Content['image']): Content => ({
  image: { dict: `${dict}/SMask 11 0 R`, data },
  more: { 11: softMask(disc(SIDE, SIDE)) },
});

/** Writes a PDF with a page that shows one of these pictures. */
export async function writePicturePdf(path: string, { image, more = {} }: Content): Promise<void> {
  await writeFile(path, buildPdf(imagePage(image, POINTS, POINTS, more)));
}

/** Curves in many colours between discs, as in a plan. */
async function lines(): Promise<Samples> {
  const curves = Array.from({ length: 120 }, (_, i) => {
    const [x, bend] = [20 + i * 8, (i * 37) % 1_000];
    const path = `M ${x} 10 C ${bend} ${i * 8} ${1_000 - bend} 400 ${x} 990`;
    return `<path d="${path}" stroke="hsl(${i * 3},70%,45%)" fill="none"/><circle cx="${bend}" cy="${x}" r="6" fill="#135"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><rect width="1000" height="1000" fill="#fff"/>${curves.join('')}</svg>`;
  const data = await sharp(Buffer.from(svg), { density: (72 * SIDE) / 1_000 })
    .resize(SIDE, SIDE)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  return { data, width: SIDE, height: SIDE, channels: 3 };
}

/** The same in 216 colours, each channel in steps of 51. */
function inPalette({ data, width, height }: Samples): Content['image'] {
  const steps = [0, 51, 102, 153, 204, 255];
  const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => [red, green, blue])));
  const indexes = Buffer.alloc(width * height);
  for (let at = 0, from = 0; at < indexes.length; at += 1, from += 3) {
    const [red, green, blue] = [0, 1, 2].map((c) => Math.round(data[from + c]! / 51)) as [number, number, number];
    indexes[at] = red * 36 + green * 6 + blue;
  }
  const palette = Buffer.from(colours.flat()).toString('hex');
  return flateImage(
    { data: indexes, width, height, channels: 1 },
    `/ColorSpace[/Indexed/DeviceRGB ${colours.length - 1}<${palette}>]`,
  );
}

/** The same in cyan, magenta, yellow and black. */
function inInks({ data, width, height }: Samples): Samples {
  const inks = Buffer.alloc(width * height * 4);
  for (let at = 0, to = 0; at < data.length; at += 3, to += 4)
    for (let c = 0; c < 3; c += 1) inks[to + c] = 255 - data[at + c]!;
  return { data: inks, width, height, channels: 4 };
}
