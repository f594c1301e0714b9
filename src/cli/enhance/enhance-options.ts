import { OUTPUT_FORMATS } from '../../domain/enhancement/output-formats.ts';
import type { MediaKind } from '../../domain/upload/media.ts';
import { ENGINE_TIERS, ENHANCEMENT_MODES, UPSCALING_FACTORS } from '../../domain/enhancement/parameter-values.ts';
import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';

/** What was typed; values are texts, as they come from the command line. */
export interface EnhanceOptions {
  files: string[];
  upscale?: string;
  mode?: string;
  denoise?: boolean;
  artifacts?: boolean;
  sharpen?: string;
  faces?: boolean;
  tier?: string;
  format?: string;
  quality?: string;
  dpi?: string;
  compact?: boolean;
  allowBreakingSignatures?: boolean;
  /** Folder of the results */
  out: string;
  /** Replaces files of the same name in it */
  force?: boolean;
  /** One JSON document on standard output instead of the table */
  json?: boolean;
}

/** The command was not typed as it should be: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Parameters by kind of file, and the flags that were given for each. */
export type ParametersByKind = Record<MediaKind, { parameters: EnhancementParameters; flags: string[] }>;

/** @throws UsageError that names the flag */
export function readParameters(options: EnhanceOptions): ParametersByKind {
  const image: [flag: string, value: EnhancementParameters | undefined][] = [
    ['--upscale', given(options.upscale, (text) => ({ upscalingFactor: oneOf('--upscale', text, UPSCALING_FACTORS) }))],
    ['--mode', given(options.mode, (text) => ({ mode: oneOf('--mode', text, ENHANCEMENT_MODES) }))],
    ['--denoise', options.denoise ? { noiseReductionProfilingMode: 'AUTO' } : undefined],
    ['--artifacts', options.artifacts ? { artifactsDetectionRemoval: 'AUTO_AI' } : undefined],
    ['--sharpen', given(options.sharpen, (text) => ({ sharpening: number('--sharpen', text, 'sharpening') }))],
    ['--faces', options.faces ? { enhanceFaceDetails: 'ENHANCE' } : undefined],
    ['--tier', given(options.tier, (text) => ({ engineTier: oneOf('--tier', text, ENGINE_TIERS) }))],
    ['--format', given(options.format, (text) => ({ outputFormat: oneOf('--format', text, OUTPUT_FORMATS) }))],
    ['--quality', given(options.quality, (text) => ({ outputQuality: number('--quality', text, 'outputQuality') }))],
  ];
  const pdf: typeof image = [
    ['--dpi', given(options.dpi, (text) => ({ targetResolution: number('--dpi', text, 'targetResolution') }))],
    ['--compact', options.compact ? { compact: true } : undefined],
    ['--allow-breaking-signatures', options.allowBreakingSignatures ? { allowBreakingSignatures: true } : undefined],
  ];
  return { image: combine(image), pdf: combine(pdf) };
}

function combine(all: [string, EnhancementParameters | undefined][]): ParametersByKind[MediaKind] {
  const set = all.filter(([, value]) => value !== undefined);
  return {
    parameters: Object.assign({}, ...set.map(([, value]) => value)) as EnhancementParameters,
    flags: set.map(([flag]) => flag),
  };
}

function given<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text);
}

function oneOf<const T extends string>(flag: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text.toUpperCase());
  if (found === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${flag} but received ${text}.`);
  return found;
}

/** The bounds are those of the service itself. */
function number(flag: string, text: string, field: 'sharpening' | 'outputQuality' | 'targetResolution'): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!enhancementParametersSchema.safeParse({ [field]: value }).success) {
    const bounds = {
      sharpening: 'a number from 0 to 1',
      outputQuality: 'a whole number from 1 to 100',
      targetResolution: 'a number from 72 to 1200',
    };
    throw new UsageError(`Expected ${bounds[field]} for ${flag} but received ${text}.`);
  }
  return value;
}
