import type { ParameterField } from './parameter-field.ts';

/** Parameters for single images and pages of a PDF. */
export const PART_PARAMETERS = {
  images: {
    type: 'images',
    description:
      'Single images by their number in the list of images, such as {"12": {"color": false}}, which decides regardless of their kind. At most 1,000.',
    beyondContract: true,
    flag: { name: 'imageColors', argument: '<list>', help: 'colours of single images: 12=off,14=on' },
  },
  pages: {
    type: 'pages',
    description:
      'Pages that stay as they are in the original, such as {"7": "ORIGINAL"}. If an earlier order differs in `pages` alone, pages that it has paid cost nothing again. At most 1,000.',
    beyondContract: true,
    flag: { name: 'keepPages', argument: '<pages>', help: 'pages that stay as they are, such as 7,9' },
  },
} as const satisfies Record<string, ParameterField>;
