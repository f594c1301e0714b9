import fc from 'fast-check';
import { expect, it } from '@jest/globals';
import { createParser, EndOfInput, serialize, SyntaxFault, type PdfValue } from '@burnish/pdf';
import { decodeAscii85, decodeAsciiHex, decodeRunLength } from '../src/filters/ascii-filters.ts';
import { inflate } from '../src/filters/inflate.ts';
import { decodeLzw } from '../src/filters/lzw.ts';
import { undoPredictor } from '../src/filters/predictor.ts';

it('parsed objects are equal after they are written and parsed again', () => {
  const name = fc.string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 8,
  });
  const { value } = fc.letrec<{ value: PdfValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
        .map((x) => Math.round(x * 1e5) / 1e5 + 0),
      name.map((text) => ({ kind: 'name' as const, value: text })),
      fc
        .uint8Array({ maxLength: 20 })
        .map((bytes) => ({ kind: 'string' as const, bytes: Buffer.from(bytes), hex: true })),
      fc.record({ number: fc.nat(99_999), generation: fc.nat(99) }).map((ref) => ({ kind: 'ref' as const, ...ref })),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((entries) => new Map(entries)),
    ),
  }));
  fc.assert(
    fc.property(value, (given) => {
      expect(createParser(Buffer.from(serialize(given), 'latin1')).next()).toEqual(given);
    }),
  );
});

it('the parser terminates on any bytes and reads none beyond their end', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'<>[]()/%{}01 -.RobjA\\\n'), { maxLength: 200 }), (characters) => {
      const bytes = Buffer.from(characters.join(''));
      const parser = createParser(bytes);
      try {
        for (let last = -1; parser.position > last;) {
          last = parser.position;
          parser.next();
          expect(parser.position).toBeGreaterThan(last);
        }
      } catch (error) {
        expect(error instanceof EndOfInput || error instanceof SyntaxFault).toBe(true);
      }
      expect(parser.position).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: 1000 },
  );
});

it('the filters terminate on any bytes, within their cap', () => {
  const shape = fc.record({
    predictor: fc.constantFrom(1, 2, 10, 15),
    colors: fc.integer({ min: 1, max: 5 }),
    bitsPerComponent: fc.constantFrom(1, 2, 4, 8, 16),
    columns: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.boolean(), shape, (given, early, predictor) => {
      const bytes = Buffer.from(given);
      const decoders = [
        () => inflate(bytes, 2000, 'contentBytes'),
        () => decodeLzw(bytes, early, 2000, 'contentBytes'),
        () => decodeRunLength(bytes, 2000, 'contentBytes'),
        () => decodeAscii85(bytes),
        () => decodeAsciiHex(bytes),
        () => undoPredictor(bytes, predictor),
      ];
      for (const decode of decoders) {
        try {
          expect(decode().length).toBeLessThanOrEqual(2004);
        } catch (error) {
          expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
        }
      }
    }),
    { numRuns: 500 },
  );
});
