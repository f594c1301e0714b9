export const ENHANCEMENT_MODES = ['ENHANCE', 'NATURAL', 'VIVID', 'OFF'] as const;
export const UPSCALING_FACTORS = ['X1', 'X2', 'X4'] as const;
export const NOISE_REDUCTION_MODES = ['OFF', 'AUTO'] as const;
export const ARTIFACTS_REMOVAL_MODES = ['OFF', 'AUTO_AI'] as const;
export const FACE_DETAILS_MODES = ['OFF', 'ENHANCE'] as const;
export const ENGINE_TIERS = ['AUTO', 'FINE', 'FAST', 'PLAIN'] as const;

/** Parameters that apply to images (docs/contract.md). */
export const IMAGE_FIELDS = [
  'mode',
  'upscalingFactor',
  'noiseReductionProfilingMode',
  'noiseReductionProfilingStrength',
  'artifactsDetectionRemoval',
  'enhanceFaceDetails',
  'sharpening',
  'engineTier',
  'outputFormat',
  'outputQuality',
  'keepMetadata',
] as const;

/** Parameters that apply to PDFs (docs/contract.md). */
export const PDF_FIELDS = [
  'targetResolution',
  'upscalingThreshold',
  'customColorConfig',
  'allowBreakingSignatures',
  'compact',
] as const;
