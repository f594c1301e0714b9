import { describe, expect, test } from '@jest/globals';
import { FILE_SIZE_BYTES, formatWithoutAlpha, mediaKind, resolveOutputFormat } from '@burnish/contract';
import { assertFileSize } from '../../src/domain/upload/check-file-size.ts';
import { resultFilename } from '../../src/domain/upload/filenames.ts';

describe.each(['image/png', 'application/pdf'] as const)('the size of a file of type %s', (mimetype) => {
  const { min, max } = FILE_SIZE_BYTES[mediaKind(mimetype)];

  test.each([min, max])('may be a bound, %i bytes', (size) => {
    expect(() => assertFileSize(mimetype, size)).not.toThrow();
  });

  test.each([
    [min - 1, 'FILE_TOO_SMALL'],
    [max + 1, 'FILE_TOO_LARGE'],
  ])('may not be %i bytes, which is %s', (size, code) => {
    expect(() => assertFileSize(mimetype, size)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the format of a result', () => {
  test.each([
    ['image/jpeg', 'JPEG'],
    ['image/png', 'PNG'],
    ['image/tiff', 'TIFF'],
    ['image/webp', 'JPEG'],
    ['image/avif', 'JPEG'],
    ['image/heic', 'JPEG'],
  ] as const)('of type %s is %s unless another one is requested', (mimetype, format) => {
    expect(resolveOutputFormat({ mimetype }, 'AUTO')).toBe(format);
    expect(resolveOutputFormat({ mimetype, hasAlpha: true }, 'PNG')).toBe('PNG');
  });

  test.each([
    ['image/webp', 'WEBP'],
    ['image/png', 'PNG'],
    ['image/avif', 'JPEG'],
    ['image/heic', 'JPEG'],
  ] as const)('of a transparent %s is %s unless another one is requested', (mimetype, format) => {
    expect(resolveOutputFormat({ mimetype, hasAlpha: true }, 'AUTO')).toBe(format);
  });

  test.each([
    ['image/webp', 'JPEG', 'JPEG'],
    ['image/webp', 'PNG', undefined],
    ['image/webp', 'TIFF', undefined],
    ['image/webp', 'AVIF', undefined],
    ['image/webp', 'WEBP', undefined],
    ['image/webp', 'AUTO', undefined],
    ['image/avif', 'AUTO', 'JPEG'],
  ] as const)('of a transparent %s with outputFormat %s loses transparency as %s', (mimetype, asked, lost) => {
    expect(formatWithoutAlpha({ mimetype, hasAlpha: true }, asked)).toBe(lost);
    expect(formatWithoutAlpha({ mimetype, hasAlpha: false }, asked)).toBeUndefined();
  });
});

test.each([
  ['photo.heic', 'photo.jpg'],
  ['photo.JPEG', 'photo.JPEG'],
  ['a.b.png', 'a.b.jpg'],
  ['photo', 'photo.jpg'],
  ['.png', '.png.jpg'],
])('the result of %s as JPEG is %s', (original, result) => {
  expect(resultFilename(original, 'image/jpeg')).toBe(result);
});
