import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from '@jest/globals';
import { isFailureCode } from '@burnish/contract';
import { EngineError } from '@burnish/contract/engine';
import { DamagedImage } from '../../src/pdf/images/damaged-image.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage } from '../../../pdf/test/build-pdf.ts';
import { arithmeticJbig2 } from './jbig2-encoder.ts';
import { flateImage, jpegImage, photograph } from './pictures.ts';
import { enhancePdf, RESIZE_ONLY, samplesOf } from './support.ts';
import { expectNamed } from '../../../../test/support/expect-named.ts';

const scratch = await scratchFolder();
const files = await Promise.all(
  (['table', 'stream', 'objects', 'hybrid'] as const).map(async (xref, i) => {
    const samples = photograph(40, 30);
    return buildPdf(
      imagePage(i % 2 ? flateImage(samples) : await jpegImage(samples), 40, 30, { 12: '[1 2 (text) <</A/B>>]' }),
      { xref },
    );
  }),
);

/** A file without its header is refused before anything else is read, so the header stays. */
const HEADER_BYTES = '%PDF-1.7'.length;

/** A file with some bytes changed, or its end cut off, or a part of it twice. */
const mutations = fc
  .record({
    file: fc.constantFrom(...files),
    changes: fc.array(
      fc.record({ at: fc.double({ min: 0, max: 0.9999, noNaN: true }), byte: fc.integer({ min: 0, max: 255 }) }),
      { maxLength: 12 },
    ),
    digits: fc.array(fc.record({ at: fc.nat(500), digit: fc.integer({ min: 0x30, max: 0x39 }) }), { maxLength: 4 }),
    keep: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.double({ min: 0.1, max: 1, noNaN: true })),
    twice: fc.boolean(),
  })
  .map(({ file, changes, digits, keep, twice }) => {
    const bytes = Buffer.from(file);
    for (const { at, byte } of changes) bytes[HEADER_BYTES + Math.floor(at * (bytes.length - HEADER_BYTES))] = byte;
    // Numbers are where lies do most harm.
    const places = [...bytes.keys()].filter((i) => i >= HEADER_BYTES && bytes[i]! >= 0x30 && bytes[i]! <= 0x39);
    for (const { at, digit } of digits) if (places.length > 0) bytes[places[at % places.length]!] = digit;
    const cut = bytes.subarray(0, Math.ceil(bytes.length * keep));
    return twice ? Buffer.concat([cut, cut.subarray(cut.length >> 1)]) : cut;
  });

it('a damaged file gives a result that passes its check, or a documented code', async () => {
  const outcomes = { result: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(mutations, async (bytes) => {
      const [inputPath, outputPath] = [scratch('fuzz.pdf'), scratch('fuzz.out.pdf')];
      writeFileSync(inputPath, bytes);
      try {
        await enhancePdf({ inputPath, outputPath, parameters: { ...RESIZE_ONLY, targetResolution: 144 } });
        outcomes.result += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(EngineError);
        expectNamed(
          isFailureCode((error as EngineError).code) && (error as EngineError).code !== 'INTERNAL',
          String((error as EngineError).cause),
        ).toBe(true);
        outcomes.refused += 1;
      }
    }),
    { numRuns: 150 },
  );
  expect(outcomes.result).toBeGreaterThan(50);
  expect(outcomes.refused).toBeGreaterThan(1);
});

it('damaged JBIG2 gives all its samples, or counts as damaged', async () => {
  const data = Uint8Array.from({ length: 64 * 48 }, (_, i) => (i % 7 < 3 || i % 64 < 20 ? 0 : 255));
  const picture = { data, width: 64, height: 48, channels: 1, space: 'grey', hasAlpha: false } as const;
  const { page, region } = arithmeticJbig2(picture);
  const change = fc.record({ at: fc.nat(page.length + region.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
  const outcomes = { read: 0, damaged: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const coded = Buffer.concat([page, region]);
      for (const { at, byte } of changes) coded[at] = byte;
      const dict = '/Width 64/Height 48/Filter/JBIG2Decode/ColorSpace/DeviceGray/BitsPerComponent 1';
      writeFileSync(scratch('jbig2.pdf'), buildPdf(imagePage({ dict, data: coded }, 64, 48)));
      try {
        const samples = await samplesOf(scratch('jbig2.pdf'));
        expect([samples.width, samples.height, samples.data.length]).toEqual([64, 48, 64 * 48]);
        outcomes.read += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedImage);
        outcomes.damaged += 1;
      }
    }),
    { numRuns: 60 },
  );
  expect(Math.min(outcomes.read, outcomes.damaged)).toBeGreaterThan(2);
});
