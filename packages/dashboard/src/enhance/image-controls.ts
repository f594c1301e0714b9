import {
  DEFAULT_TARGET_DPI,
  hasBothSides,
  IMAGE_PARAMETERS,
  formatNumber,
  OUTPUT_FORMAT_FACTS,
  printResolution,
  type ImageParameters,
  type OrderedLook,
} from '@burnish/contract';
import { percent } from '../ui/format.ts';

type Values = { [Name in keyof ImageParameters]-?: Exclude<Required<ImageParameters>[Name], OrderedLook> };

interface Common {
  /** Part of the form; the last one is folded away */
  group: 'first' | 'target' | 'repair' | 'file';
  label: string;
  /** Absent: always */
  isShown?: (parameters: ImageParameters) => boolean;
}

export interface ChoiceControl<Value> extends Common {
  kind: 'choice';
  options: readonly { value: Value; label: string; hint?: string }[];
  /** Words for a value in the summary of a past enhancement; absent: none */
  summary?: (value: Value) => string | undefined;
}

export interface SwitchControl<Value> extends Common {
  kind: 'switch';
  hint: string;
  on: Value;
  off: Value;
  /** Words for `on` in the summary of a past enhancement */
  summary?: string;
}

export interface RangeControl extends Common {
  kind: 'range';
  step: number;
  show: (value: number) => string;
  /** Words for more than 0 in the summary of a past enhancement */
  summary?: string;
  /** The engine chooses the value unless a person does: a switch with its initial number */
  byItself?: { label: string; hint: string; first: number };
}

/** Absent unless a person types a number. */
export interface TypedControl extends Common {
  kind: 'typed';
  /** Smallest difference between two numbers */
  step: number;
  /** Number that applies while none is typed */
  usual?: number;
  /** Words for a value in the summary of a past enhancement */
  summary: (value: number) => string;
}

type ControlOf<Value> =
  | SwitchControl<Value>
  | (Value extends number ? RangeControl | TypedControl : never)
  | ([Value] extends [string] ? ChoiceControl<Value> : never);

const isLossy = ({ outputFormat }: ImageParameters): boolean =>
  outputFormat === 'AUTO' || OUTPUT_FORMAT_FACTS[outputFormat].hasQuality;

/** One kind of size at a time: a factor, pixels or centimetres. */
const takesPixels = (parameters: ImageParameters): boolean =>
  parameters.upscalingFactor === 'X1' && printResolution(parameters) === undefined;

const takesCentimetres = ({ upscalingFactor, targetWidth, targetHeight }: ImageParameters): boolean =>
  upscalingFactor === 'X1' && targetWidth === undefined && targetHeight === undefined;

const MODE_WORDS = {
  ENHANCE: 'enhanced',
  NATURAL: 'natural',
  VIVID: 'vivid',
  DOCUMENT: undefined,
  OFF: undefined,
} as const;

/** The control of each parameter of images, in the order of the form, with its words in the summary of a past enhancement. */
export const IMAGE_CONTROLS: { readonly [Name in keyof Values]: ControlOf<Values[Name]> } = {
  mode: {
    kind: 'choice',
    group: 'first',
    label: 'Light and colour',
    options: [
      { value: 'ENHANCE', label: 'Enhance', hint: 'Balanced light, contrast and colour.' },
      { value: 'NATURAL', label: 'Natural', hint: 'Weaker than Enhance.' },
      { value: 'VIVID', label: 'Vivid', hint: 'Stronger contrast and colour.' },
      {
        value: 'DOCUMENT',
        label: 'Scan or photographed page',
        hint: 'Straight, with white paper and dark ink; colours stay.',
      },
      { value: 'OFF', label: 'As it is', hint: 'Light and colour stay unchanged.' },
    ],
    isShown: ({ fidelity }) => fidelity === 'OFF',
    summary: (mode) => {
      if (mode === 'DOCUMENT') return 'cleaned as a page';
      return MODE_WORDS[mode] === undefined ? 'colours as they are' : `${MODE_WORDS[mode]} colours`;
    },
  },
  upscalingFactor: {
    kind: 'choice',
    group: 'first',
    label: 'Size',
    options: [
      { value: 'X1', label: 'As it is' },
      { value: 'X2', label: '2×' },
      { value: 'X4', label: '4×' },
    ],
    summary: (factor) => (factor === 'X1' ? undefined : `${factor.slice(1)} times as large`),
  },
  targetWidth: {
    kind: 'typed',
    group: 'target',
    label: 'Width in pixels',
    step: 1,
    isShown: takesPixels,
    summary: (width) => `${width} pixels wide`,
  },
  targetHeight: {
    kind: 'typed',
    group: 'target',
    label: 'Height in pixels',
    step: 1,
    isShown: takesPixels,
    summary: (height) => `${height} pixels high`,
  },
  targetWidthCm: {
    kind: 'typed',
    group: 'target',
    label: 'Width in cm',
    step: 0.1,
    isShown: takesCentimetres,
    summary: (width) => `${width} cm wide`,
  },
  targetHeightCm: {
    kind: 'typed',
    group: 'target',
    label: 'Height in cm',
    step: 0.1,
    isShown: takesCentimetres,
    summary: (height) => `${height} cm high`,
  },
  targetDpi: {
    kind: 'typed',
    group: 'target',
    label: 'Resolution in DPI',
    step: 1,
    usual: DEFAULT_TARGET_DPI,
    isShown: (parameters) => printResolution(parameters) !== undefined,
    summary: (dpi) => `${dpi} DPI`,
  },
  fit: {
    kind: 'choice',
    group: 'target',
    label: 'Other proportions',
    options: [
      { value: 'INSIDE', label: 'Fit inside', hint: 'The whole image, within both sides.' },
      { value: 'COVER', label: 'Cut off', hint: 'Exactly both sides; edges are cut off.' },
    ],
    isShown: hasBothSides,
    summary: (fit) => (fit === 'COVER' ? 'edges cut off' : undefined),
  },
  fidelity: {
    kind: 'switch',
    group: 'first',
    label: 'Strictly faithful',
    hint: 'Reduced again, the result equals the original; light, colour and damage stay',
    on: 'STRICT',
    off: 'OFF',
    isShown: ({ upscalingFactor }) => upscalingFactor !== 'X1',
    summary: 'strictly faithful',
  },
  noiseReductionProfilingMode: {
    kind: 'switch',
    group: 'repair',
    label: 'Reduce noise',
    hint: 'Removes the grain of images taken in low light',
    on: 'AUTO',
    off: 'OFF',
    summary: 'less noise',
  },
  noiseReductionProfilingStrength: {
    kind: 'range',
    group: 'repair',
    label: 'Strength',
    step: 0.05,
    show: percent,
    isShown: ({ noiseReductionProfilingMode }) => noiseReductionProfilingMode === 'AUTO',
  },
  artifactsDetectionRemoval: {
    kind: 'switch',
    group: 'repair',
    label: 'Remove JPEG artefacts',
    hint: 'Removes blocks and ringing of strong compression',
    on: 'AUTO_AI',
    off: 'OFF',
    summary: 'artefacts removed',
  },
  enhanceFaceDetails: {
    kind: 'switch',
    group: 'repair',
    label: 'Brighten faces',
    hint: 'Brightens faces in the shade; adds no detail',
    on: 'ENHANCE',
    off: 'OFF',
    summary: 'brighter faces',
  },
  sharpening: {
    kind: 'range',
    group: 'repair',
    label: 'Sharpen',
    step: 0.05,
    show: percent,
    summary: 'sharpened',
  },
  engineTier: {
    kind: 'choice',
    group: 'file',
    label: 'Upscaling method',
    options: [
      { value: 'AUTO', label: 'Automatic', hint: 'Burnish chooses Fine or Fast for each image.' },
      { value: 'FINE', label: 'Fine', hint: 'The most detail, slower.' },
      { value: 'FAST', label: 'Fast', hint: 'Nearly as much detail, faster.' },
      { value: 'PLAIN', label: 'Plain', hint: 'Adds no detail.' },
      { value: 'DETAIL', label: 'Detail', hint: 'Crisp edges and texture; may invent detail.' },
    ],
  },
  outputFormat: {
    kind: 'choice',
    group: 'file',
    label: 'Format',
    options: (Object.keys(IMAGE_PARAMETERS.outputFormat.values) as Values['outputFormat'][]).map((value) =>
      value === 'AUTO'
        ? { value, label: 'Same', hint: 'The format of the original; HEIC and opaque WebP become JPEG.' }
        : { value, label: value },
    ),
    summary: (format) => (format === 'AUTO' ? undefined : `as ${format}`),
  },
  outputQuality: {
    kind: 'range',
    group: 'file',
    label: 'Quality',
    step: 1,
    show: String,
    isShown: isLossy,
    byItself: {
      label: 'Choose the quality automatically',
      hint: 'It follows the quality of the original',
      first: 90,
    },
  },
  maxBytes: {
    kind: 'typed',
    group: 'file',
    label: 'Largest size in bytes',
    step: 1,
    isShown: isLossy,
    summary: (bytes) => `at most ${formatNumber(bytes)} bytes`,
  },
  keepMetadata: {
    kind: 'switch',
    group: 'file',
    label: 'Keep camera metadata',
    hint: 'Date, place and camera (EXIF, XMP)',
    on: true,
    off: false,
  },
};

/** A control with values of any type, for code that iterates over all controls. */
export type AnyControl = ChoiceControl<string> | SwitchControl<unknown> | RangeControl | TypedControl;

export const IMAGE_CONTROL_LIST = Object.entries(IMAGE_CONTROLS) as unknown as [keyof Values, AnyControl][];

/** The requested settings of an image, in a few words. */
export function imageSummary(parameters: ImageParameters): string[] {
  return IMAGE_CONTROL_LIST.flatMap(([name, control]) => {
    const words = describeValue(control, parameters[name]);
    return words === undefined ? [] : [words];
  });
}

function describeValue(control: AnyControl, value: unknown): string | undefined {
  switch (control.kind) {
    case 'choice':
      return typeof value === 'object' ? `look ${(value as OrderedLook).look}` : control.summary?.(value as string);
    case 'switch':
      return value === control.on ? control.summary : undefined;
    case 'typed':
      return typeof value === 'number' ? control.summary(value) : undefined;
    case 'range':
      return typeof value === 'number' && value > 0 ? control.summary : undefined;
  }
}
