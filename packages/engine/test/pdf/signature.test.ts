import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { priceOfPdf } from '@burnish/contract';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { jpegImage, photograph } from './pictures.ts';
import { DOUBLED as doubled, HEIGHT, RESIZE_ONLY, WIDTH, analyzeBytes, enhanceBytes } from './support.ts';

const scratch = await scratchFolder();
const photo = await jpegImage(photograph(WIDTH, HEIGHT));
describe('a signed PDF', () => {
  const field = (value: string): Objects => ({
    1: '<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[20 0 R]>>>>',
    20: '<</T(group)/FT/Sig/Kids[21 0 R]>>',
    21: `<</Parent 20 0 R/T(name)${value}>>`,
  });
  const signed = buildPdf({ ...imagePage(photo, WIDTH, HEIGHT), ...field('/V<</Type/Sig/ByteRange[0 1 2 3]>>') });

  it('is analyzed, and its enhancement is refused', async () => {
    expect((await analyzeBytes(signed, scratch('signed'))).analysis.totalCredits).toBe(4);
    await expect(enhanceBytes(signed, scratch('signed'), doubled)).rejects.toMatchObject({ code: 'SIGNED_PDF' });
  });

  it('is enhanced if the caller accepts a broken signature', async () => {
    const parameters = { ...doubled, allowBreakingSignatures: true };
    expect(await enhanceBytes(signed, scratch('broken-signature'), parameters)).toMatchObject({ enhanced: 1 });
  });

  it('without an image to change is returned as it is, at no charge', async () => {
    const { outputPath, enhanced, work } = await enhanceBytes(signed, scratch('as-it-is'), RESIZE_ONLY, {
      targetResolution: 72,
    });
    expect([enhanced, priceOfPdf(work), readFileSync(outputPath).equals(signed)]).toEqual([0, 0, true]);
  });

  it('with an empty signature field counts as unsigned', async () => {
    expect(
      await enhanceBytes(buildPdf({ ...imagePage(photo, WIDTH, HEIGHT), ...field('') }), scratch('waiting'), doubled),
    ).toMatchObject({ enhanced: 1 });
  });
});
