import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { psnr } from '../support/measure.ts';
import { scratchFolder } from '../support/files.ts';
import type { Objects } from '../../../pdf/test/build-pdf.ts';
import { doubled, halved, type Image } from './doubled.ts';
import { jpx, literalLzw, packed, runLengths } from './encoders.ts';
import { flateImage, logo, photograph } from './pictures.ts';
import { HEIGHT, WIDTH } from './support.ts';

const scratch = await scratchFolder();
// Mostly ground, so that it does not count as a photograph.
const shades = photograph(WIDTH, HEIGHT, 1);
const grey = { ...shades, data: shades.data.fill(255, WIDTH * 15) };
const rgb = photograph(WIDTH, HEIGHT, 3);
const inks = photograph(WIDTH, HEIGHT, 4);
const size = `/Width ${WIDTH}/Height ${HEIGHT}`;
const wide = Buffer.from(Uint16Array.from(rgb.data, (value) => value * 257).buffer).swap16();

describe('a lossless image stays lossless', () => {
  const cases: [string, Image, string][] = [
    ['Flate, grey', flateImage(grey), 'grey'],
    ['Flate, RGB', flateImage(rgb), 'rgb'],
    ['Flate, CMYK', flateImage(inks), 'cmyk'],
    [
      'Flate, RGB of 16 bits',
      { dict: `${size}/ColorSpace/DeviceRGB/BitsPerComponent 16/Filter/FlateDecode`, data: deflateSync(wide) },
      'rgb',
    ],
    [
      'Flate, RGB of 4 bits',
      { dict: `${size}/ColorSpace/DeviceRGB/BitsPerComponent 4/Filter/FlateDecode`, data: deflateSync(packed(rgb, 4)) },
      'rgb',
    ],
    [
      'Flate, grey of 2 bits',
      {
        dict: `${size}/ColorSpace/DeviceGray/BitsPerComponent 2/Filter/FlateDecode`,
        data: deflateSync(packed(grey, 2)),
      },
      'grey',
    ],
    [
      'LZW, RGB',
      { dict: `${size}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/LZWDecode`, data: literalLzw(rgb.data) },
      'rgb',
    ],
    [
      'RunLength, grey',
      { dict: `${size}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/RunLengthDecode`, data: runLengths(grey.data) },
      'grey',
    ],
    [
      'ASCII85 and Flate',
      {
        dict: `${size}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter[/ASCIIHexDecode/FlateDecode]`,
        data: `${deflateSync(grey.data).toString('hex')}>`,
      },
      'grey',
    ],
    [
      'no filter, calibrated RGB',
      { dict: `${size}/ColorSpace[/CalRGB<</WhitePoint[0.95 1 1.09]>>]/BitsPerComponent 8`, data: rgb.data },
      'rgb',
    ],
  ];
  it.each(cases)('%s', async (name, image, family) => {
    const { before, after, dict, alike } = await doubled(scratch(name.replace(/\W+/g, '-')), image);
    expect(alike).toBeGreaterThan(36);
    expect(dict).toMatchObject({ filter: 'FlateDecode', family, bits: before.data instanceof Uint16Array ? 16 : 8 });
    expect([after.width, after.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
    expect(psnr(before, halved(after))).toBeGreaterThan(33);
  });

  it('with its profile, intent and metadata', async () => {
    const more: Objects = {
      11: { dict: '/N 3/Alternate/DeviceRGB', data: 'profile' },
      12: { dict: '/Type/Metadata/Subtype/XML', data: '<x/>' },
    };
    const { dict } = await doubled(
      scratch('icc'),
      flateImage(rgb, '/ColorSpace[/ICCBased 11 0 R]/Intent/Perceptual/Metadata 12 0 R'),
      more,
    );
    expect(dict.dict.get('ColorSpace')).toEqual([
      { kind: 'name', value: 'ICCBased' },
      { kind: 'ref', number: 11, generation: 0 },
    ]);
    expect(dict.dict.get('Intent')).toMatchObject({ value: 'Perceptual' });
    expect(dict.dict.get('Metadata')).toMatchObject({ number: 12 });
  });
});

describe('an image with a palette', () => {
  const art = logo(WIDTH, HEIGHT);
  const palette = [255, 255, 255, 200, 16, 46, 1, 33, 105, 255, 205, 0, 30, 120, 60];
  const indexes = Buffer.alloc(WIDTH * HEIGHT);
  for (let i = 0; i < indexes.length; i += 1)
    indexes[i] = [0, 1, 2, 3, 4].find((entry) => palette[entry * 3 + 1] === art.data[i * 3 + 1])!;
  const hex = Buffer.from(palette).toString('hex');
  const nibbles = packed(
    { data: Buffer.from(indexes.map((value) => value << 4)), width: WIDTH, height: HEIGHT, channels: 1 },
    4,
  );

  it.each<[string, Image, Objects]>([
    [
      'of 8 bits in a string',
      {
        dict: `${size}/ColorSpace[/Indexed/DeviceRGB 4<${hex}>]/BitsPerComponent 8/Filter/FlateDecode`,
        data: deflateSync(indexes),
      },
      {},
    ],
    [
      'of 4 bits in a stream',
      {
        dict: `${size}/ColorSpace[/Indexed/DeviceRGB 4 11 0 R]/BitsPerComponent 4/Filter/FlateDecode/Decode[0 15]`,
        data: deflateSync(nibbles),
      },
      { 11: { dict: '', data: Buffer.from(palette) } },
    ],
  ])('%s keeps a palette, with its new colours', async (name, image, more) => {
    const { after, dict, alike } = await doubled(scratch(`indexed ${name}`.replace(/\W+/g, '-')), image, more);
    expect(alike).toBeGreaterThan(36);
    expect(dict).toMatchObject({ filter: 'FlateDecode', family: 'indexed' });
    expect(dict.dict.has('Decode')).toBe(false);
    expect([...after.data.subarray(0, 3)]).toEqual([255, 255, 255]);
    expect(psnr({ ...art, space: 'rgb', hasAlpha: false }, halved(after))).toBeGreaterThan(24);
  });

  it.each([4, 8])('of %d bits in JPEG 2000 keeps a palette, with its new colours', async (bits) => {
    const data = await jpx({ data: indexes, width: WIDTH, height: HEIGHT, channels: 1 }, bits);
    const image = { dict: `${size}/ColorSpace[/Indexed/DeviceRGB 4<${hex}>]/Filter/JPXDecode`, data };
    const { before, after, dict } = await doubled(scratch(`jpx-${bits}`), image);
    expect(Buffer.from(before.data).equals(art.data)).toBe(true);
    expect(dict).toMatchObject({ filter: 'FlateDecode', family: 'indexed' });
    expect(psnr({ ...art, space: 'rgb', hasAlpha: false }, halved(after))).toBeGreaterThan(24);
  });

  it('becomes full colour if its new colours are too many', async () => {
    const colours = Buffer.from(Array.from({ length: 256 }, (_, i) => [i, (i * 7) % 256, (i * 31) % 256]).flat());
    const image = {
      dict: `${size}/ColorSpace[/Indexed/DeviceRGB 255<${colours.toString('hex')}>]/BitsPerComponent 8/Filter/FlateDecode`,
      data: deflateSync(photograph(WIDTH, HEIGHT, 1).data),
    };
    const { dict } = await doubled(scratch('many'), image);
    expect(dict).toMatchObject({ filter: 'FlateDecode', family: 'rgb', bits: 8 });
  });
});
