import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  planSize,
  resolveImageParameters,
  resolveOutputFormat,
  assertResultSize,
  TRIAL_PART_SIDE,
  TRIAL_WHOLE_SIDE,
  type ImageNote,
  type ImageParameters,
  type StepName,
} from '@burnish/contract/engine';
import { decode } from '../image/codecs/decode.ts';
import { encode, jpegCoding, OUTPUT_CODECS } from '../image/codecs/output-formats.ts';
import { readSource, type ImageSource } from '../image/codecs/source.ts';
import { withVisibleAlpha } from '../image/codecs/visible-alpha.ts';
import { cutOut, type PixelArea } from '../image/cut-out.ts';
import { resample } from '../image/filters/resample.ts';
import type { Picture } from '../image/picture.ts';
import { runPipeline, type PipelineState, type WholePicture } from '../image/pipeline.ts';
import { previewImage } from '../image/preview.ts';
import type { Area } from '../image/steps/part-of-picture.ts';
import { NO_MODELS, type ModelSet } from '../neural/model-set.ts';
import { areaAround, inParts, withMargin, type Centre } from './area.ts';

export interface TryImageInput {
  inputPath: string;
  /** Folder for the pictures: `0` is the original, and the others follow the orders */
  outputDir: string;
  /** The names of the pictures as numbers, for the parent that collects them */
  pictures: readonly number[];
  orders: readonly ImageParameters[];
  /** Centre of the part that is shown with all its pixels; null: the whole picture, reduced */
  centre: Centre | null;
}

/** What an order would do. */
export interface TriedOrder {
  /** Names of the steps that changed the picture, in order */
  steps: StepName[];
  notes: ImageNote[];
}

export interface ImageTrial {
  /** What the pictures show */
  area: Area;
  tried: TriedOrder[];
}

/** Pixels of the source around a part, which steps see and the picture does not show. */
const MARGIN = 24;

const WHOLE: Area = { left: 0, top: 0, width: 1, height: 1 };

/** Parameters whose effect depends on the scale of the picture, with their neutral values. */
const NEUTRAL_IN_SCALE = {
  upscalingFactor: 'X1',
  targetWidth: undefined,
  targetHeight: undefined,
  targetWidthCm: undefined,
  targetHeightCm: undefined,
  noiseReductionProfilingMode: 'OFF',
  artifactsDetectionRemoval: 'OFF',
  sharpening: 0,
} as const;

/**
 * Shows what orders would do to an image, without a result: light, colour and pages on a reduced copy of the whole picture, or every step on a
 * part of it at its own pixels. A part changes as in the result: the whole picture decides over tone, noise and networks.
 * @throws EngineError as `enhanceImage`
 */
export async function tryImage(input: TryImageInput & { models?: ModelSet }): Promise<ImageTrial> {
  const source = await withVisibleAlpha(await readSource(input.inputPath));
  for (const parameters of input.orders) assertResultSize(source.facts, parameters);
  const decoded = new Map<boolean, Picture>();
  const open = async (toRgb: boolean): Promise<Picture> => {
    const known = decoded.get(toRgb) ?? (await decode(source, toRgb));
    decoded.set(toRgb, known);
    return known;
  };
  const isOther = source.facts.colourSpace === 'other';
  const original = await open(isOther);
  // Parts of the result are equally large, whatever the order enlarges.
  const scales = input.orders.map((parameters) => scaleOf(source, parameters));
  const area = input.centre && areaAround(input.centre, original, Math.floor(TRIAL_PART_SIDE / Math.max(1, ...scales)));
  const shown = area ? cutOut(original, area) : reduced(original);
  await writePicture(shown, source, isOther, join(input.outputDir, '0'));
  const tried: TriedOrder[] = [];
  for (const [i, parameters] of input.orders.entries()) {
    const toRgb = isOther || (source.facts.colourSpace === 'cmyk' && !holdsCmyk(source, parameters));
    const full = await open(toRgb);
    const { picture, ...order } = area
      ? await tryPart(source, full, { parameters, area, models: input.models })
      : await tryWhole(source, reduced(full), parameters);
    await writePicture(picture, source, toRgb, join(input.outputDir, String(i + 1)));
    tried.push(order);
  }
  return { area: area ? inParts(area, original) : WHOLE, tried };
}

const holdsCmyk = ({ facts }: ImageSource, { outputFormat }: ImageParameters): boolean =>
  OUTPUT_CODECS[resolveOutputFormat(facts, outputFormat)].holdsCmyk;

/** Factor by which an order changes the sides of an image, at least 1. */
function scaleOf({ facts }: ImageSource, parameters: ImageParameters): number {
  return Math.max(1, planSize(facts, parameters).resized.width / facts.width);
}

/** Returns a copy of a picture of at most `TRIAL_WHOLE_SIDE`. */
function reduced(picture: Picture): Picture {
  const { width, height } = picture;
  const factor = Math.min(1, TRIAL_WHOLE_SIDE / Math.max(width, height));
  if (factor === 1) return { ...picture, data: picture.data.slice() };
  return resample(picture, Math.max(1, Math.round(width * factor)), Math.max(1, Math.round(height * factor)));
}

async function tryWhole(
  source: ImageSource,
  picture: Picture,
  parameters: ImageParameters,
): Promise<TriedOrder & { picture: Picture }> {
  const { width, height } = picture;
  const small = { ...source, facts: { ...source.facts, width, height } };
  return run(small, resolveImageParameters({ ...parameters, ...NEUTRAL_IN_SCALE }), picture, NO_MODELS);
}

interface PartOrder {
  parameters: ImageParameters;
  area: PixelArea;
  models: ModelSet | undefined;
}

async function tryPart(
  source: ImageSource,
  full: Picture,
  { parameters, area, models = NO_MODELS }: PartOrder,
): Promise<TriedOrder & { picture: Picture }> {
  // The edges, the direction and the paper of a page are found on all of it.
  if (parameters.mode === 'DOCUMENT') {
    const cleaned = await run(source, parameters, { ...full, data: full.data.slice() }, models);
    const { width, height } = cleaned.picture;
    const [across, down] = [width / full.width, height / full.height];
    return { ...cleaned, picture: cutOut(cleaned.picture, scaled(area, across, down, { width, height })) };
  }
  const wide = withMargin(area, full, MARGIN);
  const whole: WholePicture = { full, reduced: reduced(full), area: inParts(wide, full) };
  const made = await run(source, parameters, cutOut(full, wide), models, whole);
  const factor = made.picture.width / wide.width;
  const inner = { ...area, left: area.left - wide.left, top: area.top - wide.top };
  return { ...made, picture: cutOut(made.picture, scaled(inner, factor, factor, made.picture)) };
}

/** Returns an area in a picture of another size, at least a pixel and within it. */
function scaled(
  { left, top, width, height }: PixelArea,
  across: number,
  down: number,
  picture: { width: number; height: number },
): PixelArea {
  const [x, y] = [
    Math.min(picture.width - 1, Math.round(left * across)),
    Math.min(picture.height - 1, Math.round(top * down)),
  ];
  return {
    left: x,
    top: y,
    width: Math.max(1, Math.min(picture.width - x, Math.round(width * across))),
    height: Math.max(1, Math.min(picture.height - y, Math.round(height * down))),
  };
}

async function run(
  source: ImageSource,
  parameters: ImageParameters,
  picture: Picture,
  models: ModelSet,
  whole?: WholePicture,
): Promise<TriedOrder & { picture: Picture }> {
  const size = planSize(source.facts, parameters);
  const order = { parameters, source, scale: size.scale, size, models };
  const job: PipelineState = {
    ...order,
    ...(whole && { whole, size: sizeOfPart(picture, size, source.facts) }),
    picture,
    notes: [],
    used: [],
    fellBack: false,
    onPart: () => undefined,
  };
  const steps = await runPipeline(order, job, () => job.onPart);
  return { picture: job.picture, steps, notes: job.notes };
}

/** The size of a part in the result, which shows no cut edges. */
function sizeOfPart(
  picture: Picture,
  plan: PipelineState['size'],
  whole: { width: number; height: number },
): PipelineState['size'] {
  const size = {
    width: Math.max(1, Math.round((picture.width * plan.resized.width) / whole.width)),
    height: Math.max(1, Math.round((picture.height * plan.resized.height) / whole.height)),
  };
  return { scale: plan.scale, ...size, resized: size };
}

/** Writes a picture as WebP in sRGB, by the profile of its file. */
async function writePicture(picture: Picture, source: ImageSource, isRgb: boolean, path: string): Promise<void> {
  const encoded = `${path}-encoded`;
  const { icc, pngColour } = isRgb ? NO_PROFILE : source.metadata;
  await encode(picture, encoded, {
    format: picture.space === 'cmyk' ? 'TIFF' : 'PNG',
    jpeg: jpegCoding(undefined, undefined, true),
    metadata: { icc, pngColour, exif: undefined, xmp: undefined, density: undefined },
  });
  await previewImage({ inputPath: encoded, outputPath: path, side: null });
  await rm(encoded);
}

const NO_PROFILE = { icc: undefined, pngColour: undefined };
