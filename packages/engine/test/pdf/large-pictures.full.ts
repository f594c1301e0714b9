import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { emptySamples, type Picture } from '../../src/image/picture.ts';
import { encodeImage, encodeMask, type EncodedImage } from '../../src/pdf/images/image-encoder.ts';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { withFringe } from '../../src/pdf/images/opacity.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage } from '../../../pdf/test/build-pdf.ts';
import { openBytes } from '../../../pdf/test/open-bytes.ts';
import { samplesOf } from './support.ts';

const scratch = await scratchFolder();
const SPACES = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' } as const;

/** Shades and steps. Each third row halves from pixel to pixel, so that its filter is a mean with the row above. */
function shades(width: number, height: number, channels: 1 | 3 | 4, bits: 8 | 16 = 8): Picture {
  const data = new (bits === 8 ? Uint8Array : Uint16Array)(width * height * channels);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let c = 0; c < channels; c += 1, at += 1)
        data[at] = y % 3 === 0 ? 255 >> (x & 7) : (x >> 4) * (c + 3) + (y >> 3) * 7 + (y & 1);
  return {
    data,
    width,
    height,
    channels,
    space: ({ 1: 'grey', 3: 'rgb', 4: 'cmyk' } as const)[channels],
    hasAlpha: false,
  };
}

/** Facts of a source without loss in the colour space of a picture. */
function factsOf({ channels, data }: Picture) {
  const bits = 8 * data.BYTES_PER_ELEMENT;
  const dict = `/Width 1/Height 1/ColorSpace/${SPACES[channels as 1 | 3 | 4]}/BitsPerComponent ${bits}`;
  const pdf = openBytes(buildPdf(imagePage({ dict, data: Buffer.alloc((channels * bits) / 8) }, 72, 72)));
  return readImageFacts(pdf, 10)!;
}

/** Reads an encoded image back as a reader does. */
async function decode(name: string, { channels, bits, predictor, palette, ...image }: EncodedImage): Promise<Picture> {
  const space =
    palette === undefined
      ? `/${SPACES[channels as 1 | 3 | 4]}`
      : `[/Indexed/DeviceRGB ${palette.length / 6 - 1}<${palette}>]`;
  const rows = predictor
    ? `/DecodeParms<</Predictor 15/Colors ${channels}/BitsPerComponent ${bits}/Columns ${image.width}>>`
    : '';
  const dict = `/Width ${image.width}/Height ${image.height}/ColorSpace${space}/BitsPerComponent ${bits}/Filter/${image.filter}${rows}`;
  writeFileSync(scratch(name), buildPdf(imagePage({ dict, data: image.data }, 72, 72)));
  return samplesOf(scratch(name));
}

/** Receives progress, and expects it to grow. */
function progress() {
  const parts: number[] = [];
  return {
    parts,
    onPart: (part: number) => void (expect(part).toBeGreaterThanOrEqual(parts.at(-1) ?? 0), parts.push(part)),
  };
}

test.each([
  ['grey', shades(2_400, 3_500, 1)],
  ['RGB', shades(2_400, 3_500, 3)],
  ['RGB of 16 bits', shades(2_400, 3_500, 3, 16)],
  ['inks', shades(2_400, 3_500, 4)],
])('Bands of a large picture in %s join to the same samples, and each reports progress.', async (name, picture) => {
  const { parts, onPart } = progress();
  const encoded = await encodeImage(picture, factsOf(picture), { source: Buffer.alloc(0), onPart });
  expect(encoded.filter).toBe('FlateDecode');
  const { data } = await decode(`${name}.pdf`, encoded);
  expect(
    Buffer.compare(Buffer.from(data.buffer, data.byteOffset, data.byteLength), Buffer.from(picture.data.buffer)),
  ).toBe(0);
  expect(new Set(parts).size).toBeGreaterThan(1);
});

test('A large mask of sixteen levels is packed in bands to the nearest levels.', async () => {
  const mask = shades(2_400, 3_500, 1);
  mask.data = mask.data.map((value) => 17 * (value & 15));
  const { parts, onPart } = progress();
  const encoded = await encodeMask(mask, 'soft', onPart);
  expect(encoded).toMatchObject({ bits: 4, predictor: false });
  const { data } = await decode('mask.pdf', encoded);
  expect(Buffer.compare(Buffer.from(data), Buffer.from(mask.data))).toBe(0);
  expect(new Set(parts).size).toBeGreaterThan(1);
});

test('A large indexed picture with shades gets a palette by a sample, and no pixel differs visibly.', async () => {
  const picture = shades(4_100, 4_000, 3);
  // Areas in 27 colours, and shades of each by chance: more than a palette can hold.
  let [state, area] = [1, 0];
  picture.data = picture.data.map((_, i) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    if (i % 12_300 === 0) area = state >>> 8;
    const shade = (state >>> 8) % 256;
    return 120 * (Math.floor(area / 3 ** (i % 3)) % 3) + (shade < 4 ? shade : 0);
  });
  const facts = factsOf(picture);
  const { parts, onPart } = progress();
  const encoded = await encodeImage(
    picture,
    { ...facts, color: { ...facts.color, family: 'indexed' } },
    { source: Buffer.alloc(0), onPart },
  );
  expect(encoded.palette).toBeDefined();
  const { data } = await decode('palette.pdf', encoded);
  let most = 0;
  data.forEach((value, i) => (most = Math.max(most, Math.abs(value - picture.data[i]!))));
  expect(most).toBeLessThanOrEqual(3);
  expect(parts.filter((part) => part > 0.4).length).toBeGreaterThan(4);
});

test('Hidden pixels take the same colours when a picture is turned upside down, wherever bands of rows begin.', () => {
  const [width, height] = [60, 300];
  const data = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i * 7919) % 251);
  // Visible spots, some of them beside the edges of bands.
  for (let at = 3, i = 0; at < data.length; at += 4, i += 1) data[at] = (i * 2_654_435_761) % 997 < 12 ? 255 : 0;
  const picture: Picture = { data, width, height, channels: 4, space: 'rgb', hasAlpha: true };
  const flip = ({ channels, ...rest }: Picture): Picture => {
    const flipped = emptySamples({ ...rest, channels }, rest.data.length);
    const row = width * channels;
    for (let y = 0; y < height; y += 1) flipped.set(rest.data.subarray(y * row, (y + 1) * row), (height - 1 - y) * row);
    return { ...rest, channels, data: flipped };
  };
  const turned = flip(picture);
  expect([...flip(withFringe(turned)).data]).toEqual([...withFringe(picture).data]);
});
