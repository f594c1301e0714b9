import { expect, it } from '@jest/globals';
import { isLargeWork } from '../../src/domain/enhancement/large-work.ts';

const jpeg = (width: number, height: number) => ({ mimetype: 'image/jpeg' as const, width, height });

/** Large work has slots of its own: true. */
it.each([
  ['tone of a photograph of 12 megapixels', jpeg(4000, 3000), {}, false],
  ['tone of a photograph of 48 megapixels', jpeg(8000, 6000), {}, true],
  ['a small photograph at twice its size', jpeg(400, 300), { upscalingFactor: 'X2' }, false],
  ['the same with invented detail', jpeg(400, 300), { upscalingFactor: 'X2', engineTier: 'DETAIL' }, true],
  ['a small photograph at four times its size', jpeg(800, 600), { upscalingFactor: 'X4' }, true],
  ['a reduction of a photograph of 12 megapixels', jpeg(4000, 3000), { targetWidth: 800 }, false],
  ['an enlargement to a width', jpeg(1600, 1200), { targetWidth: 3000 }, true],
  ['less noise in 12 megapixels', jpeg(4000, 3000), { noiseReductionProfilingMode: 'AUTO' }, true],
  ['less noise in one megapixel', jpeg(1200, 800), { noiseReductionProfilingMode: 'AUTO' }, false],
  ['a page of 8 megapixels', jpeg(2480, 3508), { mode: 'DOCUMENT' }, true],
  ['4 megapixels as AVIF', jpeg(2400, 1600), { outputFormat: 'AVIF' }, true],
  ['4 megapixels from AVIF', { mimetype: 'image/avif' as const, width: 2400, height: 1600 }, {}, true],
  ['a target that is refused', jpeg(400, 300), { targetWidth: 9000 }, false],
  ['a PDF', { mimetype: 'application/pdf' as const, width: 0, height: 0 }, {}, true],
] as const)('%s', (_, picture, parameters, isLarge) => {
  expect(isLargeWork(picture, parameters)).toBe(isLarge);
});
