import { expect, test } from '@jest/globals';
import { assertParametersAgree, assertParametersFit, resolvePdfParameters } from '../src/engine.ts';
import { parametersSchema } from '../src/schemas/parameters-schema.ts';

test('maxBytes is for images and for PDFs, beside the parameters of either', () => {
  const [pdf, image] = [
    { maxBytes: 500_000, compact: true },
    { maxBytes: 500_000, outputQuality: 90 },
  ];
  expect(() => assertParametersFit('pdf', pdf)).not.toThrow();
  expect(() => assertParametersFit('image', image)).not.toThrow();
  expect(() => assertParametersAgree(pdf)).not.toThrow();
  expect(() => assertParametersAgree(image)).not.toThrow();
  expect(() => assertParametersAgree({ ...pdf, ...image })).toThrow('Field outputQuality applies to images only');
});

test('a PDF with maxBytes is written anew, unless the order has it otherwise', () => {
  expect(resolvePdfParameters({ maxBytes: 500_000 })).toMatchObject({ maxBytes: 500_000, compact: true });
  expect(resolvePdfParameters({ maxBytes: 500_000, compact: false })).toMatchObject({ compact: false });
  expect(resolvePdfParameters({})).not.toHaveProperty('maxBytes');
});

test.each([999, 2_000_000_001, 5000.5, '5000', null])('%j bytes are refused', (maxBytes) => {
  expect(parametersSchema.safeParse({ maxBytes }).success).toBe(false);
});
