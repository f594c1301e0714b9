import {
  type EnhancementProgress,
  type Fidelity,
  OUTPUT_FORMAT_FACTS,
  resolveOutputFormat,
  type OutputFormat,
  type MediaType,
  type ImageNote,
  type StepName,
  type ImageParameters,
  assertResultSize,
  CM_PER_INCH,
  planSize,
  printResolution,
} from '@burnish/contract/engine';
import { NO_MODELS, type ModelSet } from '../neural/model-set.ts';
import { engineVersionWith } from '../version.ts';
import { assertRawSize, decodeOrRefuse } from './codecs/decode.ts';
import { fitBytes } from './codecs/fit-bytes.ts';
import { encode, jpegCoding, OUTPUT_CODECS } from './codecs/output-formats.ts';
import { hasMakerNote, metadataForResult } from './metadata/metadata.ts';
import { PIPELINE, runPipeline, type PipelineState, type PipelineInput } from './pipeline.ts';
import { toTenths } from './to-tenths.ts';
import { fidelityOfFile } from './verify.ts';
import { readSource, type ImageFacts, type ImageSource } from './codecs/source.ts';
import { withVisibleAlpha } from './codecs/visible-alpha.ts';

export interface EnhanceImageInput {
  inputPath: string;
  /** Unique path in a scratch folder; the file is written only on success */
  outputPath: string;
  parameters: ImageParameters;
}

export interface EnhanceImageOutput {
  mimetype: MediaType;
  /** Pixels */
  width: number;
  height: number;
  /** Names of the steps that changed the picture, in order */
  steps: StepName[];
  /** Names of the neural networks applied to the picture, in order */
  models: string[];
  /** A required network failed to load: the result differs from this engine's usual one */
  fellBack: boolean;
  /** Measured on the written file; present for `fidelity: STRICT` */
  fidelity?: Fidelity;
  /** What was done and left out, in order */
  notes: ImageNote[];
}

export interface EnhanceImageOptions extends EnhanceImageInput {
  models?: ModelSet;
  onProgress?: (progress: EnhancementProgress) => void;
  signal?: AbortSignal;
}

/**
 * Enhances one image file. The same bytes and parameters give the same result, bit for bit. A damaged file is refused.
 * @throws EngineError UNSUPPORTED_MEDIA_TYPE, CORRUPT_FILE, TOO_MANY_PIXELS, BAD_USER_INPUT
 */
export async function enhanceImage(options: EnhanceImageOptions): Promise<EnhanceImageOutput> {
  return (await enhanceWithFacts(options)).enhanced;
}

/** The same with the facts that an inspection finds, by one decode. */
export async function enhanceWithFacts(
  options: EnhanceImageOptions,
): Promise<{ facts: ImageFacts; enhanced: EnhanceImageOutput }> {
  const source = await withVisibleAlpha(await readSource(options.inputPath));
  return { facts: source.facts, enhanced: await enhanceSource(source, options) };
}

async function enhanceSource(source: ImageSource, options: EnhanceImageOptions): Promise<EnhanceImageOutput> {
  const { outputPath, parameters, models = NO_MODELS } = options;
  const format = resolveOutputFormat(source.facts, parameters.outputFormat);
  const strict = parameters.fidelity === 'STRICT';
  assertResultSize(source.facts, parameters);
  const size = planSize(source.facts, parameters);
  const { scale } = size;

  const { colourSpace } = source.facts;
  const toRgb = colourSpace === 'other' || (colourSpace === 'cmyk' && !OUTPUT_CODECS[format].holdsCmyk);
  const order = { parameters, source, scale, size, models };
  const progress = createProgress(options, order);
  const onPart = progress.enter('decode');
  const picture = await decodeOrRefuse(source, toRgb);
  const growth = (size.resized.width * size.resized.height) / (picture.width * picture.height);
  assertRawSize(picture.data.byteLength * Math.max(scale ** 2, growth));
  const job: PipelineState = { ...order, picture, notes: [...source.facts.notes], used: [], fellBack: false, onPart };
  const steps = await runPipeline(order, job, (step) => progress.enter(step));
  progress.enter('encode');
  const { width, height } = job.picture;
  job.notes.push(...formatNotes(source, job, format, toRgb));
  const dpi = printResolution(parameters);
  if (dpi !== undefined) job.notes.push(printNote(width, height, dpi));
  const making = { agent: `Burnish engine ${engineVersionWith(models)}`, steps };
  const kept = metadataForResult(source.metadata, parameters.keepMetadata, { width, height, dpi, making });
  const coding = {
    format,
    jpeg: jpegCoding(source.jpeg, parameters.outputQuality, strict),
    metadata: toRgb ? { ...kept, icc: undefined, pngColour: undefined } : kept,
  };
  await encode(job.picture, outputPath, coding);
  if (parameters.maxBytes !== undefined)
    job.notes.push(...(await fitBytes(job.picture, outputPath, coding, parameters.maxBytes)));
  const fidelity = strict ? await fidelityOfFile(picture, outputPath) : undefined;
  if (fidelity) job.notes.push({ code: 'FIDELITY_MEASURED', ...fidelity });
  progress.finish();
  return {
    mimetype: OUTPUT_FORMAT_FACTS[format].mediaType,
    width,
    height,
    steps,
    models: job.used,
    fellBack: job.fellBack,
    ...(fidelity && { fidelity }),
    notes: job.notes,
  };
}

function printNote(width: number, height: number, dpi: number): ImageNote {
  const toCm = (side: number): number => toTenths((side * CM_PER_INCH) / dpi);
  return { code: 'PRINT_SIZE', width: toCm(width), height: toCm(height), dpi };
}

function formatNotes(
  { facts, metadata, leavesMakerNote }: ImageSource,
  { picture, parameters }: PipelineState,
  format: OutputFormat,
  toRgb: boolean,
): ImageNote[] {
  const { holds16Bits, holdsPngColour, movesExif } = OUTPUT_CODECS[format];
  const deep = picture.data instanceof Uint16Array && holds16Bits;
  const notes: ImageNote[] = [];
  if (toRgb) notes.push({ code: 'CONVERTED_TO_SRGB' });
  if (picture.hasAlpha && !OUTPUT_FORMAT_FACTS[format].holdsAlpha)
    notes.push({ code: 'TRANSPARENCY_REPLACED', format });
  if (facts.bitDepth > 8 && !deep) notes.push({ code: 'DEPTH_REDUCED', bits: facts.bitDepth });
  if (metadata.pngColour && !holdsPngColour) notes.push({ code: 'PNG_COLOUR_REMOVED' });
  // Its offsets cannot be updated.
  if (parameters.keepMetadata && (leavesMakerNote || (movesExif && hasMakerNote(metadata.exif))))
    notes.push({ code: 'MAKER_NOTE_REMOVED' });
  return notes;
}

export interface Progress {
  /** Starts a step; the returned function takes its completed share, 0 to 1 */
  enter(step: string): (part: number) => void;
  finish(): void;
}

/** Approximate CPU milliseconds per megapixel */
const DECODE_COST = 20;
const ENCODE_COST = 40;

/**
 * Converts the steps of one job into a fraction of the whole, each step weighted by its cost. Each report of progress throws the
 * reason of the signal once the caller has cancelled the job, so that it ends within a step.
 */
function createProgress(
  { onProgress, signal }: Pick<EnhanceImageOptions, 'onProgress' | 'signal'>,
  order: PipelineInput,
): Progress {
  const area = order.scale ** 2;
  const costs: [string, number][] = [
    ['decode', DECODE_COST],
    ...PIPELINE.filter(({ wanted }) => wanted(order)).map(({ name, cost, enlarged }): [string, number] => [
      name,
      (typeof cost === 'number' ? cost : cost(order)) * (enlarged ? area : 1),
    ]),
    ['encode', ENCODE_COST * area],
  ];
  const total = costs.reduce((sum, [, cost]) => sum + cost, 0);
  return {
    enter(step) {
      const index = costs.findIndex(([name]) => name === step);
      const before = costs.slice(0, index).reduce((sum, [, cost]) => sum + cost, 0);
      const own = costs[index]?.[1] ?? 0;
      const tell = (part: number): void => {
        signal?.throwIfAborted();
        onProgress?.({ step, fraction: (before + own * part) / total });
      };
      tell(0);
      return tell;
    },
    finish: () => onProgress?.({ step: 'encode', fraction: 1 }),
  };
}
