import { z } from 'zod';

export const expectedImagesSchema = z
  .object({
    full: z.number().int().meta({ description: 'Images that are enhanced as asked.' }),
    reduced: z.number().int().meta({ description: 'Images with a lower JPEG quality or a smaller enlargement.' }),
    unchanged: z.number().int().meta({ description: 'Images that stay as they are, at no charge.' }),
  })
  .meta({
    id: 'ExpectedImages',
    description: 'Numbers of images of a PDF by their expected change, before the order.',
  });

export const estimateSchema = z
  .object({
    credits: z
      .number()
      .int()
      .meta({ description: 'Maximum price in credits. It is reserved with the order.', example: 8 }),
    minCredits: z.number().int().meta({
      description:
        'Price in credits if light, colour and damage need no change. Equal to `credits` where the price is certain.',
      example: 4,
    }),
    filesize: z.number().int().nullable().meta({
      description:
        'Expected size of the result in bytes; the actual size can differ. Null for images and for the hosted service.',
      example: 3_400_000,
    }),
    minFilesize: z.number().int().nullable().meta({
      description: 'Lower end of the range that has the size of 90 % of results, in bytes. Null as `filesize`.',
      example: 2_600_000,
    }),
    maxFilesize: z.number().int().nullable().meta({
      description: 'Upper end of that range, in bytes. Null as `filesize`.',
      example: 4_900_000,
    }),
    width: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Width of the result in pixels. Null for PDFs.', example: 1600 }),
    height: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Height of the result in pixels. Null for PDFs.', example: 1067 }),
    notes: z.array(z.string()).meta({
      description:
        'Sentences about losses, such as transparency that becomes white in a JPEG, and about pages that an earlier enhancement has paid.',
    }),
    masksOnly: z.number().int().meta({
      description:
        'Images of a PDF whose mask alone is enlarged, for smooth edges. Masks below 128 pixels cost nothing.',
      example: 0,
    }),
    expectedImages: expectedImagesSchema.nullable().meta({
      description:
        'Numbers of images of a PDF that the order changes, by the expected step that keeps the file within `pdf.maxGrowth`. Strips of a picture count once. Null for images and for the hosted service.',
    }),
  })
  .meta({ id: 'Estimate', description: 'Price of an enhancement and size of its result, before it is ordered.' });
export type EstimateRepresentation = z.infer<typeof estimateSchema>;

export const orderEstimateSchema = z
  .object({
    credits: z.number().int().meta({ description: 'Sum of `credits`, the maximum price of the order.', example: 8 }),
    minCredits: z.number().int().meta({ description: 'Sum of `minCredits`.', example: 4 }),
    enhancements: z
      .array(estimateSchema)
      .meta({ description: 'One estimate for each enhancement, in the order of the request.' }),
  })
  .meta({ id: 'OrderEstimate', description: 'Prices of the enhancements of an order.' });
export type OrderEstimateRepresentation = z.infer<typeof orderEstimateSchema>;
