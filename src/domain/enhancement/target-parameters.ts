import { choice, type ParameterField } from './parameter-field.ts';

/** Below 16 pixels, the kernel of a reduction would span thousands of pixels. JPEG has at most 65,500. */
const TARGET_SIDE = {
  type: 'number',
  integer: true,
  min: 16,
  max: 65_500,
  neutral: null,
  price: 'upscaling',
  beyondContract: true,
} as const;

/** The size of an image's result in pixels, instead of a factor. */
export const TARGET_PARAMETERS = {
  targetWidth: {
    ...TARGET_SIDE,
    description:
      'Width of the result in pixels, instead of upscalingFactor. At most 4 times that of the image. With targetHeight, `fit` decides; alone, the height follows.',
    flag: { name: 'width', argument: '<pixels>', help: 'width of the result in pixels, instead of a factor' },
  },
  targetHeight: {
    ...TARGET_SIDE,
    description:
      'Height of the result in pixels, instead of upscalingFactor. At most 4 times that of the image. With targetWidth, `fit` decides; alone, the width follows.',
    flag: { name: 'height', argument: '<pixels>', help: 'height of the result in pixels, instead of a factor' },
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
