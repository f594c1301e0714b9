import { z } from 'zod';

export const fidelitySchema = z
  .object({
    psnr: z
      .number()
      .nullable()
      .meta({ description: 'PSNR in dB over all colours. Null for equal pictures.', example: 52.3 }),
    maxDifference: z.number().meta({ description: 'Largest difference in levels of 255.', example: 1.5 }),
  })
  .meta({
    id: 'Fidelity',
    description:
      'Difference between the original and the file of its enlarged result, reduced again by the mean of each block of pixels.',
  });

export const progressSchema = z
  .object({
    step: z.string().meta({ description: 'Running step, such as `upscale`.', example: 'upscale' }),
    fraction: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'From 0.0 to 1.0 over the whole enhancement.', example: 0.4 }),
  })
  .meta({ id: 'EnhancementProgress', description: 'Progress of a running enhancement.' });

export const engineReportSchema = z
  .object({
    version: z.string().meta({ description: 'Version of the engine.' }),
    build: z.string().nullable().meta({
      description: 'Version of Burnish that made the result, with its commit. Null for the hosted service.',
      example: '1.0.0+0a1b2c3d4e5f',
    }),
    steps: z.array(z.string()).meta({
      description: 'Steps that changed the picture, in order, such as `tone` and `upscale`.',
    }),
    models: z.array(z.string()).meta({ description: 'Neural networks that changed the picture, in order.' }),
    notes: z.array(z.string()).meta({ description: 'Decisions of the engine, as sentences.' }),
    unchanged: z.boolean().meta({ description: 'No step changed a picture, so nothing was charged.' }),
    fidelity: fidelitySchema.nullable().meta({
      description: 'Measured difference between the original and the reduced result. Null unless `fidelity` is STRICT.',
    }),
    uncertainPages: z.array(z.int()).meta({
      description:
        'Cleaned pages of a PDF to look at, at most 1,000: the engine evened only their light, left them skewed, or turned them upright.',
    }),
    splitPages: z.array(z.int()).meta({
      description:
        'Pages of a PDF that are two pages of the result each, with `pdf.split`, in order, at most 2,000. All page numbers of the API are those of the original: page 7 is page 7 of the result plus the number of split pages before it, less the number of dropped ones.',
      example: [2, 3],
    }),
    droppedPages: z.array(z.int()).meta({
      description: 'Pages of a PDF that the result lacks, by `pdf.pages`, in order, at most 1,000.',
      example: [4],
    }),
  })
  .meta({ id: 'EngineReport', description: 'Report of the engine about a result.' });
