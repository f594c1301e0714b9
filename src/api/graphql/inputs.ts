import { builder, type InputFieldBuilder } from './builder.ts';
import * as enums from './enums.ts';
import { COLOR, PARAMETERS } from '../enhancements/parameter-texts.ts';

export const CustomColorConfigInput = builder.inputType('CustomColorConfigInput', {
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
      description: 'Default: that of the upload that it is ordered with; STANDARD when it is ordered later.',
    }),
    creditWait: t.int({
      description:
        'Seconds, 0 to 2592000, that the enhancement waits for credits before it fails with INSUFFICIENT_CREDITS; 0 fails at once. Default 86400.',
    }),
  }),
});

/** What both ways of uploading can be told of the work to do. */
const orderFields = (t: InputFieldBuilder) => ({
  enhancements: t.field({
    type: [CreateEnhancedImageInput],
    description: 'Up to 20 enhancements that begin as soon as the upload is ready for them.',
  }),
  webhookUrl: t.string({
    description:
      'Address, http or https, that hears of every event of this upload, signed. URL_NOT_ALLOWED for a private one.',
  }),
  maxCredits: t.int({ description: 'Credits: `maxCredits` of each enhancement that brings none of its own.' }),
  creditWait: t.int({ description: 'Seconds: `creditWait` of each enhancement that brings none of its own.' }),
  provider: t.field({
    type: enums.ProviderEnum,
    description: 'Who enhances. Default: as the instance is set. BAD_USER_INPUT where it has no hosted service.',
  }),
  fallback: t.field({
    type: enums.FallbackEnum,
    description: 'Who takes over when the hosted service stays away. Default: as the instance is set.',
  }),
  priority: t.field({ type: enums.PriorityEnum, description: 'The turn of this work. Default STANDARD.' }),
});

export const CreateUploadFromUrlInput = builder.inputType('CreateUploadFromUrlInput', {
  description: 'A file to be fetched.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'Publicly reachable address of the file, http or https, at most 2048 characters. URL_NOT_ALLOWED for a private one.',
    }),
    filename: t.string({ description: 'Name of the file, 1 to 255 characters. Default: from the address.' }),
    ...orderFields(t),
  }),
});

export const CreateSignedUploadUrlInput = builder.inputType('CreateSignedUploadUrlInput', {
  description: 'A file that will be sent by PUT to a signed URL.',
  fields: (t) => ({
    filename: t.string({ required: true, description: 'Name of the file, 1 to 255 characters.' }),
    filesize: t.int({
      required: true,
      description:
        'Exact size in bytes: 20000 to 50000000 for images, 20000 to 1000000000 for PDFs. FILE_TOO_SMALL, FILE_TOO_LARGE.',
    }),
    mimetype: t.string({
      required: true,
      description:
        'MIME type of the content: image/jpeg, image/png, image/tiff, image/heic, image/webp or application/pdf. UNSUPPORTED_MEDIA_TYPE for others.',
    }),
    ...orderFields(t),
  }),
});
