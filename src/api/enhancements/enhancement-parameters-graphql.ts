import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { builder } from '../graphql/builder.ts';
import * as enums from '../graphql/enums.ts';
import { COLOR, PARAMETERS } from './parameter-texts.ts';

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
