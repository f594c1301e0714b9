import { z } from 'zod';
import { IMAGE_KIND_NAMES, KIND_REASON_NAMES, PREVIEW_WIDTHS, type PreviewSize } from '@burnish/contract';

const sizes = [...PREVIEW_WIDTHS.map(String), 'full'];

export const previewQuery = z.strictObject({
  width: z
    .enum(sizes as [string, ...string[]])
    .default(sizes[0]!)
    .transform((text): PreviewSize => (text === 'full' ? text : (Number(text) as PreviewSize)))
    .meta({
      description:
        'Longest side of the preview, pixels; a smaller picture is not enlarged. `full`: all pixels of the picture; a JPEG, PNG or WebP file is sent unchanged.',
      override: { type: 'string', enum: sizes, default: sizes[0] },
    }),
});

const shape = {
  number: z.number().int().meta({ description: 'Number of the image, the same in the original and in every result.' }),
  page: z.number().int().meta({ description: 'First page that draws it, from 1.' }),
  pages: z.number().int().meta({ description: 'Number of pages that draw it.' }),
  width: z.number().int().meta({ description: 'Pixels in the original.' }),
  height: z.number().int().meta({ description: 'Pixels in the original.' }),
  resolution: z.number().int().nullable().meta({ description: 'Lowest resolution at which it is drawn, DPI.' }),
};

export const pdfImageSchema = z
  .object({
    ...shape,
    kind: z.enum(IMAGE_KIND_NAMES).nullable().meta({
      description:
        'Content of the image. Only photographs get a new tone and colour. Null before an analysis by this version.',
    }),
    kindReason: z.enum(KIND_REASON_NAMES).nullable().meta({ description: 'Reason for this kind.' }),
  })
  .meta({ id: 'PdfImage' });
export const enhancedPdfImageSchema = z
  .object({
    ...shape,
    enhanced: z
      .object({ width: z.number().int(), height: z.number().int() })
      .meta({ description: 'Pixels in the result.' }),
    maskOnly: z.boolean().meta({
      description: 'Only the mask of the image was enlarged, so that its edges are smooth. Its own pixels stay.',
    }),
  })
  .meta({ id: 'EnhancedPdfImage' });

const part = (description: string) => z.number().meta({ description, example: 0.25 });

export const pdfPageSchema = z
  .object({
    page: z.number().int().meta({ description: 'Number of the page, from 1.' }),
    width: z.number().meta({ description: 'Width as shown, points (1/72 inch).' }),
    height: z.number().meta({ description: 'Height as shown, points (1/72 inch).' }),
    images: z
      .array(
        z.object({
          number: shape.number,
          left: part('Left edge, in parts of the width of the page.'),
          top: part('Top edge, in parts of the height of the page.'),
          width: part('Width, in parts of the width of the page.'),
          height: part('Height, in parts of the height of the page.'),
        }),
      )
      .meta({ description: 'Areas of the images on the page, at most 100.' }),
  })
  .meta({ id: 'PdfPage' });

export const pageNumber = z
  .string()
  .regex(/^[1-9]\d{0,5}$/)
  .transform(Number)
  .meta({
    description: 'Number of the page, from 1',
    example: '1',
    override: { type: 'string', pattern: String.raw`^[1-9]\d{0,5}$` },
  });

export const imageNumber = z
  .string()
  .regex(/^\d{1,7}$/)
  .transform(Number)
  .meta({
    description: 'Number of the image, from `pdf-images`',
    example: '12',
    override: { type: 'string', pattern: String.raw`^\d{1,7}$` },
  });
