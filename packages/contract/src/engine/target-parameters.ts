import { choice, type ParameterField } from './parameter-field.ts';

/** Pixels. Below 16, the kernel of a reduction would span thousands of pixels. JPEG has at most 65,500. */
export const TARGET_BOUNDS = { min: 16, max: 65_500 } as const;

const TARGET = { type: 'number', neutral: null, feature: 'upscaling', beyondContract: true } as const;
const PIXELS = { ...TARGET, ...TARGET_BOUNDS, integer: true } as const;
/** From a stamp to a poster of ten metres. */
const CENTIMETRES = { ...TARGET, min: 0.1, max: 1_000 } as const;

/** The size of an image's result, instead of a factor. */
export const TARGET_PARAMETERS = {
  targetWidth: {
    ...PIXELS,
    description:
      'Width of the result in pixels, instead of upscalingFactor. At most 4 times that of the image. With targetHeight, `fit` decides; alone, the height follows.',
    flag: { name: 'width', argument: '<pixels>', help: 'width of the result in pixels, instead of a factor' },
  },
  targetHeight: {
    ...PIXELS,
    description:
      'Height of the result in pixels, instead of upscalingFactor. At most 4 times that of the image. With targetWidth, `fit` decides; alone, the width follows.',
    flag: { name: 'height', argument: '<pixels>', help: 'height of the result in pixels, instead of a factor' },
  },
  targetWidthCm: {
    ...CENTIMETRES,
    description:
      'Printed width of the result in centimetres at targetDpi, instead of targetWidth. The pixels are rounded to the nearest whole number.',
    flag: { name: 'widthCm', argument: '<cm>', help: 'printed width of the result in centimetres' },
  },
  targetHeightCm: {
    ...CENTIMETRES,
    description:
      'Printed height of the result in centimetres at targetDpi, instead of targetHeight. The pixels are rounded to the nearest whole number.',
    flag: { name: 'heightCm', argument: '<cm>', help: 'printed height of the result in centimetres' },
  },
  targetDpi: {
    type: 'number',
    integer: true,
    min: 10,
    max: 2_400,
    neutral: null,
    beyondContract: true,
    description:
      'Resolution of a size in centimetres, in pixels per inch. The result carries it as its print resolution. Default 300.',
    flag: { name: 'targetDpi', argument: '<n>', help: 'resolution of a size in centimetres, 300 by default' },
  },
  fit: choice({
    description: 'How an image of other proportions gets its target size. Default INSIDE.',
    values: {
      INSIDE: 'The whole image, as large as fits within both sides; the default.',
      COVER: 'Exactly both sides: edges of the image are cut off evenly.',
    },
    default: 'INSIDE',
    beyondContract: true,
    enumType: { name: 'EnhancedImageFit', description: 'How an image of other proportions gets its target size.' },
    flag: { name: 'fit', argument: '<fit>' },
  }),
} as const satisfies Record<string, ParameterField>;
