import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { builder } from '../graphql/builder.ts';
import * as enums from '../graphql/enums.ts';

/** Fields of an object schema that may all be absent; what a field is stands inside. */
type OptionalShape = Record<string, { unwrap(): { description?: string | undefined } }>;

/** The description of each parameter, as the domain says it; a parameter without one is a mistake of ours. */
function texts<Shape extends OptionalShape>(shape: Shape): Record<keyof Shape & string, string> {
  const entries = Object.entries(shape).map(([name, field]) => {
    const { description } = field.unwrap();
    if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
    return [name, description];
  });
  return Object.fromEntries(entries) as Record<keyof Shape & string, string>;
}

const { shape } = enhancementParametersSchema;

const PARAMETERS = texts(shape);
const COLOR = texts(shape.customColorConfig.unwrap().shape);

const CustomColorConfig = builder
  .objectRef<NonNullable<EnhancementParameters['customColorConfig']>>('CustomColorConfig')
  .implement({
    description: 'Manual colour adjustments of the images in a PDF; null where nothing was said.',
    fields: (t) => ({
      auto: t.exposeBoolean('auto', { nullable: true, description: COLOR.auto }),
      brightness: t.expose('brightness', { type: 'Decimal', nullable: true, description: COLOR.brightness }),
      contrast: t.expose('contrast', { type: 'Decimal', nullable: true, description: COLOR.contrast }),
      saturation: t.expose('saturation', { type: 'Decimal', nullable: true, description: COLOR.saturation }),
      gamma: t.expose('gamma', { type: 'Decimal', nullable: true, description: COLOR.gamma }),
      temperature: t.expose('temperature', { type: 'Decimal', nullable: true, description: COLOR.temperature }),
    }),
  });

export const EnhancedImageParameters = builder.objectRef<EnhancementParameters>('EnhancedImageParameters').implement({
  description: 'The parameters of an enhancement as they were asked for; null where nothing was said.',
  fields: (t) => ({
    mode: t.expose('mode', { type: enums.EnhancementMode, nullable: true, description: PARAMETERS.mode }),
    upscalingFactor: t.expose('upscalingFactor', {
      type: enums.UpscalingFactor,
      nullable: true,
      description: PARAMETERS.upscalingFactor,
    }),
    noiseReductionProfilingMode: t.expose('noiseReductionProfilingMode', {
      type: enums.NoiseReductionProfilingMode,
      nullable: true,
      description: PARAMETERS.noiseReductionProfilingMode,
    }),
    noiseReductionProfilingStrength: t.expose('noiseReductionProfilingStrength', {
      type: 'Decimal',
      nullable: true,
      description: PARAMETERS.noiseReductionProfilingStrength,
    }),
    artifactsDetectionRemoval: t.expose('artifactsDetectionRemoval', {
      type: enums.ArtifactsDetectionRemoval,
      nullable: true,
      description: PARAMETERS.artifactsDetectionRemoval,
    }),
    enhanceFaceDetails: t.expose('enhanceFaceDetails', {
      type: enums.EnhanceFaceDetails,
      nullable: true,
      description: PARAMETERS.enhanceFaceDetails,
    }),
    sharpening: t.expose('sharpening', { type: 'Decimal', nullable: true, description: PARAMETERS.sharpening }),
    engineTier: t.expose('engineTier', { type: enums.EngineTier, nullable: true, description: PARAMETERS.engineTier }),
    outputFormat: t.expose('outputFormat', {
      type: enums.OutputFormat,
      nullable: true,
      description: PARAMETERS.outputFormat,
    }),
    outputQuality: t.exposeInt('outputQuality', { nullable: true, description: PARAMETERS.outputQuality }),
    keepMetadata: t.exposeBoolean('keepMetadata', { nullable: true, description: PARAMETERS.keepMetadata }),
    targetResolution: t.expose('targetResolution', {
      type: 'Decimal',
      nullable: true,
      description: PARAMETERS.targetResolution,
    }),
    upscalingThreshold: t.expose('upscalingThreshold', {
      type: 'Decimal',
      nullable: true,
      description: PARAMETERS.upscalingThreshold,
    }),
    customColorConfig: t.expose('customColorConfig', {
      type: CustomColorConfig,
      nullable: true,
      description: PARAMETERS.customColorConfig,
    }),
    allowBreakingSignatures: t.exposeBoolean('allowBreakingSignatures', {
      nullable: true,
      description: PARAMETERS.allowBreakingSignatures,
    }),
    compact: t.exposeBoolean('compact', { nullable: true, description: PARAMETERS.compact }),
  }),
});

const CustomColorConfigInput = builder.inputType('CustomColorConfigInput', {
  description: 'Manual colour adjustments of the images in a PDF.',
  fields: (t) => ({
    auto: t.boolean({ description: COLOR.auto }),
    brightness: t.field({ type: 'Decimal', description: COLOR.brightness }),
    contrast: t.field({ type: 'Decimal', description: COLOR.contrast }),
    saturation: t.field({ type: 'Decimal', description: COLOR.saturation }),
    gamma: t.field({ type: 'Decimal', description: COLOR.gamma }),
    temperature: t.field({ type: 'Decimal', description: COLOR.temperature }),
  }),
});

const forImages = (text: string): string => `For images: ${text}`;
const forPdfs = (text: string): string => `For PDFs: ${text}`;

export const CreateEnhancedImageInput = builder.inputType('CreateEnhancedImageInput', {
  description:
    'Parameters of one enhancement. Those of images do not go with PDFs, nor those of PDFs with images: BAD_USER_INPUT names the field.',
  fields: (t) => ({
    mode: t.field({ type: enums.EnhancementMode, description: forImages(PARAMETERS.mode) }),
    upscalingFactor: t.field({ type: enums.UpscalingFactor, description: forImages(PARAMETERS.upscalingFactor) }),
    noiseReductionProfilingMode: t.field({
      type: enums.NoiseReductionProfilingMode,
      description: forImages(PARAMETERS.noiseReductionProfilingMode),
    }),
    noiseReductionProfilingStrength: t.field({
      type: 'Decimal',
      description: forImages(PARAMETERS.noiseReductionProfilingStrength),
    }),
    artifactsDetectionRemoval: t.field({
      type: enums.ArtifactsDetectionRemoval,
      description: forImages(PARAMETERS.artifactsDetectionRemoval),
    }),
    enhanceFaceDetails: t.field({
      type: enums.EnhanceFaceDetails,
      description: forImages(PARAMETERS.enhanceFaceDetails),
    }),
    sharpening: t.field({ type: 'Decimal', description: forImages(PARAMETERS.sharpening) }),
    engineTier: t.field({ type: enums.EngineTier, description: forImages(PARAMETERS.engineTier) }),
    outputFormat: t.field({ type: enums.OutputFormat, description: forImages(PARAMETERS.outputFormat) }),
    outputQuality: t.int({ description: forImages(PARAMETERS.outputQuality) }),
    keepMetadata: t.boolean({ description: forImages(PARAMETERS.keepMetadata) }),
    targetResolution: t.field({
      type: 'Decimal',
      description: forPdfs(`${PARAMETERS.targetResolution} Over the cap: TARGET_RESOLUTION_EXCEEDS_PLAN.`),
    }),
    upscalingThreshold: t.field({ type: 'Decimal', description: forPdfs(PARAMETERS.upscalingThreshold) }),
    customColorConfig: t.field({ type: CustomColorConfigInput, description: forPdfs(PARAMETERS.customColorConfig) }),
    allowBreakingSignatures: t.boolean({ description: forPdfs(PARAMETERS.allowBreakingSignatures) }),
    compact: t.boolean({ description: forPdfs(PARAMETERS.compact) }),
    maxCredits: t.int({
      description:
        'Credits, 0 or more. An estimate above it makes the enhancement AWAITING_APPROVAL. Absent: no review.',
    }),
    priority: t.field({
      type: enums.PriorityEnum,
      description: 'Default: that of the upload, and STANDARD for a later enhancement.',
    }),
    creditWait: t.int({
      description:
        'Seconds, 0 to 2592000, that the enhancement waits for credits before it fails with INSUFFICIENT_CREDITS; 0 fails at once. Default 86400.',
    }),
  }),
});
