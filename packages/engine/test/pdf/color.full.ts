import { describe, expect, it } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, onePage } from '../../../pdf/test/build-pdf.ts';
import { dictOf } from './doubled.ts';
import { flateImage, photograph, type Samples } from './pictures.ts';
import { analyzeBytes, enhanceBytes, parametersOf, samplesOf } from './support.ts';

const scratch = await scratchFolder();

describe('the colour of an image in a PDF', () => {
  const big = photograph(200, 150, 3);
  const dull: Samples = { ...big, data: Buffer.from(big.data.map((value) => 90 + value / 6)) };
  const spread = ({ data }: Picture): number => Math.max(...data) - Math.min(...data);

  it('is improved if its contrast is low, at the same size', async () => {
    const result = await enhanceBytes(buildPdf(imagePage(flateImage(dull), 24, 18)), scratch('dull'), parametersOf());
    expect(result.work).toEqual({ colorOnly: 1, resizeOnly: 0, both: 0 });
    const [before, after] = [await samplesOf(result.inputPath), await samplesOf(result.outputPath)];
    expect([after.width, after.height]).toEqual([200, 150]);
    expect(spread(after)).toBeGreaterThan(spread(before) * 1.2);
  });

  it.each([
    ['grey of 8 bits', 1, 8],
    ['RGB of 16 bits', 3, 16],
  ])('is improved in %s too', async (name, channels, bits) => {
    const { data } = photograph(200, 150, channels);
    const faded = Uint8Array.from(data, (value) => 90 + value / 6);
    const packed =
      bits === 8 ? Buffer.from(faded) : Buffer.from(Uint16Array.from(faded, (value) => value * 257).buffer).swap16();
    const space = channels === 1 ? 'DeviceGray' : 'DeviceRGB';
    const image = { dict: `/Width 200/Height 150/ColorSpace/${space}/BitsPerComponent ${bits}`, data: packed };
    const result = await enhanceBytes(
      buildPdf(imagePage(image, 24, 18)),
      scratch(name.replace(/\W/g, '')),
      parametersOf(),
    );
    expect(result).toMatchObject({ enhanced: 1, work: { colorOnly: 1 } });
    const [before, after] = [await samplesOf(result.inputPath), await samplesOf(result.outputPath)];
    expect(after.data.BYTES_PER_ELEMENT * 8).toBe(bits);
    expect(spread(after)).toBeGreaterThan(spread(before) * 1.2);
  });

  it('is judged after its Decode array: inverted samples with an inverting array are the plain image', async () => {
    const parameters = parametersOf({ customColorConfig: { auto: false, brightness: 0.5 } });
    const plain = await enhanceBytes(buildPdf(imagePage(flateImage(dull), 24, 18)), scratch('plain'), parameters);
    const inverse = { ...dull, data: Buffer.from(dull.data.map((value) => 255 - value)) };
    const turned = await enhanceBytes(
      buildPdf(imagePage(flateImage(inverse, '/Decode[1 0 1 0 1 0]'), 24, 18)),
      scratch('turned'),
      parameters,
    );
    const [a, b] = [await samplesOf(plain.outputPath), await samplesOf(turned.outputPath)];
    expect(a.data).not.toEqual((await samplesOf(plain.inputPath)).data);
    expect(Buffer.from(b.data.map((value) => 255 - value))).toEqual(Buffer.from(a.data));
    expect(dictOf(turned.outputPath).dict.get('Decode')).toEqual([1, 0, 1, 0, 1, 0]);
  });

  it.each([
    ['a soft mask', '/Im0 Do /Im1 Do', `/Type/XObject/Subtype/Image ${flateImage(dull).dict}/SMask 11 0 R`],
    ['the group of a soft mask', '/Gs gs /Im0 Do', `/Type/XObject/Subtype/Image ${flateImage(dull).dict}`],
  ])('is preserved in an image that is %s too, which can still be enlarged', async (name, content, dict) => {
    const grey = flateImage(photograph(200, 150, 1));
    const resources = '/XObject<</Im0 10 0 R/Im1 11 0 R>>/ExtGState<</Gs<</SMask<</S/Luminosity/G 12 0 R>>>>>>';
    const objects = onePage(`72 0 0 54 0 0 cm ${content}`, resources, {
      10: { dict, data: flateImage(dull).data },
      11: { dict: `/Type/XObject/Subtype/Image ${grey.dict}`, data: grey.data },
      12: { dict: '/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</Im1 11 0 R>>>>', data: '/Im1 Do' },
    });
    const { facts } = await analyzeBytes(buildPdf(objects), scratch(`mask-${name.length}`));
    expect(facts.eligible).toMatchObject([
      { number: 10, color: true },
      { number: 11, color: false, resolution: 200 },
    ]);
  });

  it('is preserved in CMYK', async () => {
    const result = await enhanceBytes(
      buildPdf(imagePage(flateImage(photograph(200, 150, 4)), 24, 18)),
      scratch('inks'),
      parametersOf(),
    );
    expect(result).toMatchObject({ enhanced: 0, work: { colorOnly: 0, resizeOnly: 0, both: 0 } });
  });
});
