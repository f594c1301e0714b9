import { OUTPUT_FORMATS } from './output-formats.ts';
import { z } from 'zod';
import {
  ARTIFACTS_REMOVAL_MODES,
  ENGINE_TIERS,
  ENHANCEMENT_MODES,
  FACE_DETAILS_MODES,
  type IMAGE_FIELDS,
  NOISE_REDUCTION_MODES,
  type PDF_FIELDS,
  UPSCALING_FACTORS,
} from './parameter-values.ts';

const adjustment = z.number().min(-1).max(1);

const imageShape = {
  mode: z.enum(ENHANCEMENT_MODES).describe('Tone and colour; OFF changes neither. Default ENHANCE.'),
  upscalingFactor: z.enum(UPSCALING_FACTORS).describe('Enlargement of width and height. Default X1.'),
  noiseReductionProfilingMode: z.enum(NOISE_REDUCTION_MODES).describe('Noise reduction. Default OFF.'),
  noiseReductionProfilingStrength: z.number().min(0).max(1).describe('Strength of noise reduction, 0.0 to 1.0.'),
  artifactsDetectionRemoval: z.enum(ARTIFACTS_REMOVAL_MODES).describe('Removal of compression artefacts. Default OFF.'),
  enhanceFaceDetails: z
    .enum(FACE_DETAILS_MODES)
    .describe(
      'Looks for faces. A face in the shade is lit up, and eyes, brows, lips and hair get slightly more contrast; nothing is invented, and a face in good light hardly changes. Default OFF.',
    ),
  sharpening: z.number().min(0).max(1).describe('Sharpening, 0.0 to 1.0. Default 0.'),
  engineTier: z
    .enum(ENGINE_TIERS)
    .describe('What enlarges and repairs pictures: AUTO is FINE where it can be had, else FAST. Default AUTO.'),
  outputFormat: z.enum(OUTPUT_FORMATS).describe('AUTO keeps the format of the input; HEIC and WebP become JPEG.'),
  outputQuality: z.number().int().min(1).max(100).describe('Quality of a lossy output, 1 to 100.'),
  keepMetadata: z.boolean().describe('Keep EXIF, XMP and ICC. Default true.'),
} satisfies Record<(typeof IMAGE_FIELDS)[number], z.ZodType>;

const pdfShape = {
  targetResolution: z
    .number()
    .min(72)
    .describe('Wanted resolution of embedded images, DPI; 72 to the cap of the plan.'),
  upscalingThreshold: z
    .number()
    .min(1)
    .max(100)
    .describe('Least scale factor before an image is upscaled. Default 1.2.'),
  customColorConfig: z
    .strictObject({
      auto: z.boolean().describe('Automatic tone and colour before the adjustments. Default true.'),
      brightness: adjustment.describe('-1.0 to 1.0; 0 changes nothing.'),
      contrast: adjustment.describe('-1.0 to 1.0; 0 changes nothing.'),
      saturation: adjustment.describe('-1.0 to 1.0; 0 changes nothing.'),
      gamma: adjustment.describe('-1.0 to 1.0; 0 changes nothing.'),
      temperature: adjustment.describe('-1.0 (cooler) to 1.0 (warmer); 0 changes nothing.'),
    })
    .partial()
    .describe('Manual colour adjustments.'),
  allowBreakingSignatures: z
    .boolean()
    .describe('Goes on although digital signatures will no longer hold. Default false: SIGNED_PDF.'),
  compact: z
    .boolean()
    .describe(
      'Writes only what the document uses, which is smaller. Default false: changes are appended and the original stays as it is inside.',
    ),
} satisfies Record<(typeof PDF_FIELDS)[number], z.ZodType>;

/** What a caller may ask of an enhancement; one type holds the parameters of images and of PDFs. */
export const enhancementParametersSchema = z.strictObject({ ...imageShape, ...pdfShape }).partial();
