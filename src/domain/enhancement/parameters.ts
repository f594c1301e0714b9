import type { OutputFormat } from './output-formats.ts';
import type { z } from 'zod';
import { Failure } from '../failures.ts';
import type { MediaKind } from '../upload/media.ts';
import { IMAGE_FIELDS, PDF_FIELDS } from './parameter-values.ts';
import type {
  ARTIFACTS_REMOVAL_MODES,
  ENGINE_TIERS,
  ENHANCEMENT_MODES,
  FACE_DETAILS_MODES,
  NOISE_REDUCTION_MODES,
  UPSCALING_FACTORS,
} from './parameter-values.ts';
import type { enhancementParametersSchema } from './parameters-schema.ts';

/*
 * Only types come from the schema: this file is part of the workflows, whose sandbox evaluates its modules anew for each
 * workflow, and a schema library is dear there.
 */

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
  engineTier: (typeof ENGINE_TIERS)[number];
  outputFormat: 'AUTO' | OutputFormat;
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
  /** Goes on although a digital signature will no longer hold */
  allowBreakingSignatures: boolean;
  /** Writes only what the document uses; otherwise changes are appended and the original stays a byte prefix */
  compact: boolean;
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
    engineTier: given.engineTier ?? 'AUTO',
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
    allowBreakingSignatures: given.allowBreakingSignatures ?? false,
    compact: given.compact ?? false,
  };
}

/**
 * Refuses parameters of the other kind of file (docs/contract.md: an error that names the field).
 * @throws Failure BAD_USER_INPUT
 */
export function assertParametersFit(kind: MediaKind, given: EnhancementParameters): void {
  const field = fieldAmong(kind === 'pdf' ? IMAGE_FIELDS : PDF_FIELDS, given);
  if (field !== undefined) {
    const [applies, file] = kind === 'pdf' ? ['images', 'a PDF'] : ['PDFs', 'an image'];
    throw new Failure('BAD_USER_INPUT', {
      field,
      detail: `Field ${field} applies to ${applies} only, but the file is ${file}.`,
    });
  }
}

/**
 * Refuses parameters that fit no kind of file, for a file whose kind is not known yet.
 * @throws Failure BAD_USER_INPUT
 */
export function assertParametersAgree(given: EnhancementParameters): void {
  const field = fieldAmong(IMAGE_FIELDS, given);
  const other = fieldAmong(PDF_FIELDS, given);
  if (field === undefined || other === undefined) return;
  throw new Failure('BAD_USER_INPUT', {
    field,
    detail: `Field ${field} applies to images only, and field ${other} to PDFs only.`,
  });
}

const fieldAmong = (fields: readonly string[], given: EnhancementParameters): string | undefined =>
  Object.keys(given).find((name) => fields.includes(name));
