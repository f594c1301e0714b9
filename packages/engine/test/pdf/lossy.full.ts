import sharp from 'sharp';
import { describe, expect, it } from '@jest/globals';
import { cmykTiff } from '../../src/image/codecs/cmyk-tiff.ts';
import { psnr } from '../support/measure.ts';
import { scratchFolder } from '../support/files.ts';
import { doubled, halved } from './doubled.ts';
import { jp2, jpx, withoutAdobeMarker } from './encoders.ts';
import { jpegImage, photograph } from './pictures.ts';
import { HEIGHT, WIDTH } from './support.ts';

const scratch = await scratchFolder();
const grey = photograph(WIDTH, HEIGHT, 1);
const rgb = photograph(WIDTH, HEIGHT, 3);
const inks = photograph(WIDTH, HEIGHT, 4);
const size = `/Width ${WIDTH}/Height ${HEIGHT}`;

describe('a lossy image stays a JPEG', () => {
  it.each([
    ['DCT, grey', grey, 'grey'],
    ['DCT, RGB', rgb, 'rgb'],
  ] as const)('%s', async (name, samples, family) => {
    const { before, after, dict, alike } = await doubled(scratch(name.replace(/\W+/g, '-')), await jpegImage(samples));
    expect(alike).toBeGreaterThan(36);
    expect(dict).toMatchObject({ filter: 'DCTDecode', family, bits: 8 });
    expect(after.channels).toBe(samples.channels);
    expect(psnr(before, halved(after))).toBeGreaterThan(32);
  });

  it.each([
    ['as a program of Adobe writes it', '/Decode[1 0 1 0 1 0 1 0]', (jpeg: Buffer) => jpeg],
    ['without the marker of Adobe', '', withoutAdobeMarker],
  ])('DCT, CMYK %s, with the same components and Decode array', async (name, decode, change) => {
    const tiff = sharp(cmykTiff({ data: inks.data, width: WIDTH, height: HEIGHT }))
      .pipelineColourspace('cmyk')
      .toColourspace('cmyk');
    const data = change(await tiff.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer());
    const { before, after, dict, alike } = await doubled(scratch(`cmyk ${name}`.replace(/\W+/g, '-')), {
      dict: `${size}/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/DCTDecode${decode}`,
      data,
    });
    expect(alike).toBeGreaterThan(36);
    expect(before.channels).toBe(4);
    expect(dict).toMatchObject({ filter: 'DCTDecode', family: 'cmyk' });
    expect(dict.dict.has('Decode')).toBe(decode !== '');
    expect(psnr(before, halved(after))).toBeGreaterThan(30);
  });

  it('by the header of the JPEG instead of the dictionary', async () => {
    const image = await jpegImage(rgb);
    const { after } = await doubled(scratch('lying'), {
      ...image,
      dict: image.dict.replace(`/Width ${WIDTH}`, '/Width 7'),
    });
    expect([after.width, after.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
  });

  it('without regard to a profile and an orientation inside the JPEG', async () => {
    const raw = { width: WIDTH, height: HEIGHT, channels: 3 as const };
    const data = await sharp(rgb.data, { raw })
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 95 })
      .toBuffer();
    const { before, after, alike } = await doubled(scratch('oriented'), {
      dict: `${size}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`,
      data,
    });
    expect(alike).toBeGreaterThan(36);
    expect([after.width, after.height]).toEqual([WIDTH * 2, HEIGHT * 2]);
    expect(psnr(before, halved(after))).toBeGreaterThan(32);
  });

  it.each([
    ['JPX, RGB with a colour space', rgb, '/ColorSpace/DeviceRGB'],
    ['JPX, grey with a colour space', grey, '/ColorSpace/DeviceGray'],
  ])('%s becomes a JPEG', async (name, samples, space) => {
    const { before, after, dict, alike } = await doubled(scratch(name.replace(/\W+/g, '-')), {
      dict: `${size}${space}/Filter/JPXDecode`,
      data: await jpx(samples),
    });
    expect(alike).toBeGreaterThan(36);
    expect(dict.filter).toBe('DCTDecode');
    expect(after.channels).toBe(samples.channels);
    expect(psnr({ ...samples, space: 'rgb', hasAlpha: false }, before)).toBeGreaterThan(35);
    expect(psnr(before, halved(after))).toBeGreaterThan(30);
  });

  it('JPX with an internal colour space gets that colour space into its dictionary', async () => {
    const file = jp2(await jpx(rgb), rgb, 16);
    const { dict } = await doubled(scratch('jp2'), { dict: `${size}/Filter/JPXDecode`, data: file });
    expect(dict.dict.get('ColorSpace')).toMatchObject({ value: 'DeviceRGB' });
  });
});
