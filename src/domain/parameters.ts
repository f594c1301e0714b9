import { z } from 'zod';
import type { MediaKind } from './media.ts';
import { Failure } from './failures.ts';

export const ENHANCEMENT_MODES = ['ENHANCE', 'NATURAL', 'VIVID', 'OFF'] as const;
export const UPSCALING_FACTORS = ['X1', 'X2', 'X4'] as const;
export const NOISE_REDUCTION_MODES = ['OFF', 'AUTO'] as const;
export const ARTIFACTS_REMOVAL_MODES = ['OFF', 'AUTO_AI'] as const;
export const FACE_DETAILS_MODES = ['OFF', 'ENHANCE'] as const;
export const OUTPUT_FORMATS = ['AUTO', 'JPEG', 'PNG', 'TIFF'] as const;

const adjustment = z.number().min(-1).max(1);

/** Parameters that apply to images (decisions.md, "image input"). */
const imageShape = {
  mode: z.enum(ENHANCEMENT_MODES).describe('Tone and colour; OFF changes neither. Default ENHANCE.'),
  upscalingFactor: z.enum(UPSCALING_FACTORS).describe('Enlargement of width and height. Default X1.'),
  noiseReductionProfilingMode: z.enum(NOISE_REDUCTION_MODES).describe('Noise reduction. Default OFF.'),
  noiseReductionProfilingStrength: z.number().min(0).max(1).describe('Strength of noise reduction, 0.0 to 1.0.'),
  artifactsDetectionRemoval: z.enum(ARTIFACTS_REMOVAL_MODES).describe('Removal of compression artefacts. Default OFF.'),
  enhanceFaceDetails: z.enum(FACE_DETAILS_MODES).describe('Gentler, detail-keeping treatment of faces. Default OFF.'),
  sharpening: z.number().min(0).max(1).describe('Sharpening, 0.0 to 1.0. Default 0.'),
  outputFormat: z.enum(OUTPUT_FORMATS).describe('AUTO keeps the format of the input; HEIC and WebP become JPEG.'),
  outputQuality: z.number().int().min(1).max(100).describe('Quality of a lossy output, 1 to 100.'),
  keepMetadata: z.boolean().describe('Keep EXIF, XMP and ICC. Default true.'),
};

/** Parameters that apply to PDFs (decisions.md, "PDF input"). */
const pdfShape = {
  targetResolution: z.number().min(72).max(1200).describe('Wanted resolution of embedded images, DPI; 72 to the cap of the plan.'),
  upscalingThreshold: z.number().min(1).max(100).describe('Least scale factor before an image is upscaled. Default 1.2.'),
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
};

/** What a caller may ask of an enhancement; one type holds the parameters of images and of PDFs. */
export const enhancementParametersSchema = z.strictObject({ ...imageShape, ...pdfShape }).partial();
export type EnhancementParameters = z.infer<typeof enhancementParametersSchema>;

export interface ImageParameters {
  mode: (typeof ENHANCEMENT_MODES)[number];
  upscalingFactor: (typeof UPSCALING_FACTORS)[number];
  noiseReductionProfilingMode: (typeof NOISE_REDUCTION_MODES)[number];
  /** 0.0 to 1.0 */
  noiseReductionProfilingStrength: number;
  artifactsDetectionRemoval: (typeof ARTIFACTS_REMOVAL_MODES)[number];
  enhanceFaceDetails: (typeof FACE_DETAILS_MODES)[number];
  /** 0.0 to 1.0 */
  sharpening: number;
  outputFormat: (typeof OUTPUT_FORMATS)[number];
  /** 1 to 100; absent: the engine's own choice, which follows the source. */
  outputQuality?: number;
  keepMetadata: boolean;
}

/** Each adjustment is -1.0 to 1.0, and 0 changes nothing. */
export interface ColorConfig {
  auto: boolean;
  brightness: number;
  contrast: number;
  saturation: number;
  gamma: number;
  temperature: number;
}

export interface PdfParameters {
  /** DPI */
  targetResolution: number;
  /** Ratio, 1.0 or more */
  upscalingThreshold: number;
  customColorConfig: ColorConfig;
}

/** The parameters of an image with every default filled in. */
export function resolveImageParameters(given: EnhancementParameters): ImageParameters {
  return {
    mode: given.mode ?? 'ENHANCE',
    upscalingFactor: given.upscalingFactor ?? 'X1',
    noiseReductionProfilingMode: given.noiseReductionProfilingMode ?? 'OFF',
    noiseReductionProfilingStrength: given.noiseReductionProfilingStrength ?? 0.5,
    artifactsDetectionRemoval: given.artifactsDetectionRemoval ?? 'OFF',
    enhanceFaceDetails: given.enhanceFaceDetails ?? 'OFF',
    sharpening: given.sharpening ?? 0,
    outputFormat: given.outputFormat ?? 'AUTO',
    ...(given.outputQuality === undefined ? {} : { outputQuality: given.outputQuality }),
    keepMetadata: given.keepMetadata ?? true,
  };
}

/**
 * The parameters of a PDF with every default filled in.
 * @param maxResolution the cap of the account's plan in DPI; the default target is 300 or the cap if lower
 */
export function resolvePdfParameters(given: EnhancementParameters, maxResolution: number): PdfParameters {
  const color = given.customColorConfig ?? {};
  return {
    targetResolution: given.targetResolution ?? Math.min(300, maxResolution),
    upscalingThreshold: given.upscalingThreshold ?? 1.2,
    customColorConfig: {
      auto: color.auto ?? true,
      brightness: color.brightness ?? 0,
      contrast: color.contrast ?? 0,
      saturation: color.saturation ?? 0,
      gamma: color.gamma ?? 0,
      temperature: color.temperature ?? 0,
    },
  };
}

/**
 * Refuses parameters of the other kind of file (decisions.md: an error that names the field).
 * @throws Failure BAD_USER_INPUT
 */
export function assertParametersFit(kind: MediaKind, given: EnhancementParameters): void {
  const foreign = Object.keys(kind === 'pdf' ? imageShape : pdfShape);
  const field = Object.keys(given).find((name) => foreign.includes(name));
  if (field !== undefined) {
    const [applies, file] = kind === 'pdf' ? ['images', 'a PDF'] : ['PDFs', 'an image'];
    throw new Failure('BAD_USER_INPUT', { field, detail: `Field ${field} applies to ${applies} only, but the file is ${file}.` });
  }
}
