import { OUTPUT_FORMAT_FACTS, type OutputFormat } from './media.ts';
import type { ImageChoices } from './image-kinds.ts';
import type { OrderedLook } from './look.ts';
import type { PageChoices } from './page-choices.ts';
import { choice, type BooleanField, type NumberField, type ParameterField, type Feature } from './parameter-field.ts';
import { PDF_OPTIONS } from './pdf-options.ts';
import { TARGET_PARAMETERS } from './target-parameters.ts';

/*
 * All parameters of an enhancement. Types, defaults, features, the REST schema, GraphQL types, flags of `burnish enhance` and
 * bounds in the dashboard derive from this table. It contains plain data, because workflows load this file too.
 */

/** The feature of each step of the engine; null for a step that belongs to none. */
export const STEP_FEATURES = {
  artifacts: 'restoration',
  noise: 'restoration',
  tone: 'color',
  document: 'color',
  faces: 'restoration',
  upscale: 'upscaling',
  resize: null,
  sharpen: null,
} as const satisfies Record<string, Feature | null>;
export type StepName = keyof typeof STEP_FEATURES;

const FORMAT_NAMES = Object.keys(OUTPUT_FORMAT_FACTS) as OutputFormat[];

/** Parameters for images (docs/contract.md). */
export const IMAGE_PARAMETERS = {
  mode: {
    orLook: true,
    ...choice({
      description:
        'Tone and colour. DOCUMENT cleans pages, and is the only mode of PDFs. A look of the account replaces it. Default ENHANCE.',
      values: {
        ENHANCE: 'Balanced; the default.',
        NATURAL: 'Weaker than ENHANCE, close to the original.',
        VIVID: 'Stronger contrast and colours.',
        DOCUMENT: 'Cleans a scanned or photographed page: straight, white paper, dark ink, same colours.',
        OFF: 'No change of tone or colour.',
      },
      default: 'ENHANCE',
      neutral: 'OFF',
      feature: 'color',
      forPdfs: ['DOCUMENT'],
      enumType: { name: 'EnhancedImageEnhancementMode', description: 'Change of tone and colour.' },
      flag: { name: 'mode', argument: '<mode>' },
      shortcut: { name: 'document', help: 'clean scans and photographs of pages', sets: 'DOCUMENT' },
    }),
  },
  upscalingFactor: choice({
    description: 'Enlargement of width and height. Default X1.',
    values: {
      X1: 'Not enlarged; the default.',
      X2: 'Twice the width and height.',
      X4: 'Four times the width and height.',
    },
    default: 'X1',
    neutral: 'X1',
    feature: 'upscaling',
    enumType: { name: 'EnhancedImageUpscalingFactor', description: 'Enlargement of width and height.' },
    flag: { name: 'upscale', argument: '<factor>' },
  }),
  ...TARGET_PARAMETERS,
  noiseReductionProfilingMode: choice({
    description: 'Noise reduction. Default OFF.',
    values: { OFF: 'None; the default.', AUTO: 'Measures the noise of the picture and removes it.' },
    default: 'OFF',
    neutral: 'OFF',
    feature: 'restoration',
    enumType: { name: 'EnhancedImageParametersNoiseReductionProfilingMode', description: 'Noise reduction.' },
    flag: { name: 'denoise', help: 'reduce noise', sets: 'AUTO' },
  }),
  noiseReductionProfilingStrength: {
    type: 'number',
    description: 'Strength of noise reduction, 0.0 to 1.0.',
    min: 0,
    max: 1,
    default: 0.5,
  },
  artifactsDetectionRemoval: choice({
    description: 'Removal of compression artefacts. Default OFF.',
    values: { OFF: 'None; the default.', AUTO_AI: 'Removes the artefacts that the picture shows.' },
    default: 'OFF',
    neutral: 'OFF',
    feature: 'restoration',
    enumType: {
      name: 'EnhancedImageParametersArtifactsDetectionRemoval',
      description: 'Removal of compression artefacts.',
    },
    flag: { name: 'artifacts', help: 'remove compression artefacts', sets: 'AUTO_AI' },
  }),
  enhanceFaceDetails: choice({
    description:
      'Detects faces. Brightens faces in the shade, and gives eyes, brows, lips and hair slightly more contrast. Adds no detail, and hardly changes a face in good light. Default OFF.',
    values: {
      OFF: 'Treats faces like the rest of the picture; the default.',
      ENHANCE: 'Brightens faces in the shade, and gives eyes, brows, lips and hair slightly more contrast.',
    },
    default: 'OFF',
    neutral: 'OFF',
    feature: 'restoration',
    enumType: { name: 'EnhancedImageParametersEnhanceFaceDetails', description: 'Treatment of faces.' },
    flag: { name: 'faces', help: 'brighten faces and improve their contrast', sets: 'ENHANCE' },
  }),
  sharpening: {
    type: 'number',
    description: 'Sharpening, 0.0 to 1.0. Default 0.',
    min: 0,
    max: 1,
    default: 0,
    neutral: 0,
    flag: { name: 'sharpen', argument: '<n>', help: '0 to 1' },
  },
  engineTier: choice({
    description:
      'Method that enlarges and repairs pictures. AUTO chooses FINE or FAST by the picture, and a note gives the reason. DETAIL may invent detail. Default AUTO.',
    values: {
      AUTO: 'FAST for large pictures and photographs from JPEG, otherwise FINE where it is available. The default.',
      FINE: 'The best networks. FAST replaces them where they are not available, and a note says so.',
      FAST: 'A small network, in about a third of the time.',
      PLAIN: 'No network: bicubic interpolation.',
      DETAIL:
        'Crisp edges and texture at X2 and X4; may invent detail. AUTO replaces it for pages, drawings and pictures above 6.25 megapixels, and a note says so.',
    },
    default: 'AUTO',
    beyondContract: true,
    enumType: { name: 'EnhancedImageEngineTier', description: 'Method that enlarges and repairs pictures.' },
    flag: { name: 'tier', argument: '<tier>', help: 'method that enlarges and repairs' },
  }),
  fidelity: choice({
    description:
      'Faithfulness of an enlargement. STRICT needs X2 or X4, turns `mode` off by default, and refuses all other changes. Default OFF.',
    values: {
      OFF: 'The network may change the average of a few pixels; the default.',
      STRICT: 'The result, reduced again, is the original. `engine.fidelity` has the measured difference.',
    },
    default: 'OFF',
    beyondContract: true,
    enumType: { name: 'EnhancedImageFidelity', description: 'Faithfulness of an enlargement.' },
    flag: { name: 'strict', help: 'enlarge so that the result, reduced again, is the original', sets: 'STRICT' },
  }),
  outputFormat: choice({
    description:
      'Format of the result. AUTO keeps that of the original; HEIC and opaque WebP become JPEG. Default AUTO.',
    values: {
      AUTO: 'The format of the original; HEIC and opaque WebP become JPEG. The default.',
      ...(Object.fromEntries(FORMAT_NAMES.map((name) => [name, `${name}.`])) as Record<OutputFormat, string>),
    },
    default: 'AUTO',
    neutral: 'AUTO',
    enumType: { name: 'EnhancedImageOutputFormat', description: 'Format of the result.' },
    flag: { name: 'format', argument: '<format>' },
  }),
  outputQuality: {
    type: 'number',
    description: 'Quality of a lossy output, 1 to 100.',
    integer: true,
    min: 1,
    max: 100,
    neutral: null,
    flag: { name: 'quality', argument: '<n>', help: 'quality of a lossy output, 1 to 100' },
  },
  maxBytes: {
    type: 'number',
    description:
      'Largest size of the result in bytes, of an image or a PDF. The result gets the largest JPEG, WebP or AVIF quality that fits, from 10 up. A result that cannot fit fails with RESULT_TOO_LARGE at no charge.',
    integer: true,
    min: 1000,
    max: 2_000_000_000,
    neutral: null,
    beyondContract: true,
    forPdfs: true,
    flag: { name: 'maxBytes', argument: '<n>', help: 'largest size of the result in bytes' },
  },
  keepMetadata: {
    type: 'boolean',
    description: 'Keeps EXIF, XMP and ICC data. Default true.',
    default: true,
    neutral: true,
  },
} as const satisfies Record<string, ParameterField>;

/** Parameters of the contract for PDFs (docs/contract.md). */
export const CONTRACT_PDF_PARAMETERS = {
  targetResolution: {
    type: 'number',
    description:
      'Target resolution of embedded images in DPI, from 72 to the cap of the plan. Above the cap: TARGET_RESOLUTION_EXCEEDS_PLAN. With mode DOCUMENT, images keep their size by default.',
    min: 72,
    default: 300,
    flag: { name: 'dpi', argument: '<n>', help: 'target resolution of their images in DPI, 72 to the cap of the plan' },
  },
  upscalingThreshold: {
    type: 'number',
    description: 'Minimum scale factor for upscaling; smaller factors leave the image as it is. Default 1.2.',
    min: 1,
    max: 100,
    default: 1.2,
  },
  customColorConfig: { type: 'color', description: 'Colour adjustments.' },
} as const satisfies Record<string, ParameterField>;

export const PDF_PARAMETERS = { ...CONTRACT_PDF_PARAMETERS, ...PDF_OPTIONS };

const adjustment = { type: 'number', min: -1, max: 1, default: 0, neutral: 0 } as const;

/** Fields of `customColorConfig`; 0 changes nothing. */
export const COLOR_ADJUSTMENTS = {
  auto: {
    type: 'boolean',
    description: 'Automatic tone and colour before the adjustments. Default true.',
    default: true,
    neutral: false,
  },
  brightness: { ...adjustment, description: '-1.0 to 1.0; 0 changes nothing.' },
  contrast: { ...adjustment, description: '-1.0 to 1.0; 0 changes nothing.' },
  saturation: { ...adjustment, description: '-1.0 to 1.0; 0 changes nothing.' },
  gamma: { ...adjustment, description: '-1.0 to 1.0; 0 changes nothing.' },
  temperature: { ...adjustment, description: '-1.0 (cooler) to 1.0 (warmer); 0 changes nothing.' },
} as const satisfies Record<string, NumberField | BooleanField>;

export const PARAMETERS = { ...IMAGE_PARAMETERS, ...PDF_PARAMETERS };

export type ValueOf<Field> = Field extends { orLook: true; default: infer Value }
  ? Value | OrderedLook
  : Field extends { type: 'choice'; default: infer Value }
    ? Value
    : Field extends { type: 'choices'; default: infer Values }
      ? Values
      : Field extends { type: 'images' }
        ? ImageChoices
        : Field extends { type: 'pages' }
          ? PageChoices
          : Field extends { type: 'number' }
            ? number
            : Field extends { type: 'boolean' }
              ? boolean
              : Field extends { type: 'string' }
                ? string
                : Field extends { type: 'color' }
                  ? Partial<ColorConfig>
                  : never;

/** Each adjustment is -1.0 to 1.0, and 0 changes nothing. */
export type ColorConfig = {
  -readonly [Name in keyof typeof COLOR_ADJUSTMENTS]: ValueOf<(typeof COLOR_ADJUSTMENTS)[Name]>;
};
