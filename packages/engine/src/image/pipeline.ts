import type { StepName, ImageParameters, MediaType, ImageNote, SizePlan } from '@burnish/contract/engine';
import type { ModelSet } from '../neural/model-set.ts';
import { costOfEnlarging } from '../neural/plan-doublings.ts';
import { CLEAN_QUALITY, reduceArtifacts } from './steps/artifacts.ts';
import { measureDamage, NO_DAMAGE, suitedTier } from './steps/damage.ts';
import { backProject } from './steps/back-projection.ts';
import { cleanPage } from './document/clean-page.ts';
import { enhanceFaces, findFaces, type FacesJob } from './faces/enhance-faces.ts';
import { isDrawing } from './steps/drawing.ts';
import { enlarge } from './steps/enlarge.ts';
import { filterNoise, networkShare, noiseToReduce } from './steps/noise.ts';
import type { Picture } from './picture.ts';
import { isResized, resize } from './steps/resize.ts';
import { sharpen } from './steps/sharpen.ts';
import type { ImageSource } from './codecs/source.ts';
import { artifactsMethod, NETWORK_COST, noiseMethod, restore, type RestoreOrder } from './steps/restore.ts';
import type { Area } from './steps/part-of-picture.ts';
import { improveTone } from './steps/tone.ts';
import { toneNotes } from './steps/tone-change.ts';
import { toTenths } from './to-tenths.ts';

export interface PipelineInput {
  readonly parameters: ImageParameters;
  readonly source: ImageSource;
  readonly scale: number;
  readonly size: SizePlan;
  readonly models: ModelSet;
}

/** The whole picture where only a part runs through the pipeline. It decides what a part cannot. */
export interface WholePicture {
  /** Every pixel, as decoded */
  full: Picture;
  /** A reduced copy, whose tone changes with that of the part */
  reduced: Picture;
  /** Where the part lies */
  area: Area;
}

/**
 * State of one run of the pipeline. A step changes `picture` in place or replaces it, and explains its decisions in
 * `notes`.
 */
export interface PipelineState extends PipelineInput, FacesJob {
  picture: Picture;
  /** Present where `picture` is a part */
  whole?: WholePicture;
  notes: ImageNote[];
  /** Names of the networks applied so far, in order */
  used: string[];
  /** A required network failed to load */
  fellBack: boolean;
  /** Reports the progress of the step, 0 to 1 */
  onPart: (part: number) => void;
}

export interface PipelineStep {
  name: StepName;
  /** Approximate CPU milliseconds per megapixel, which determine the step's share of the progress bar */
  cost: number | ((order: PipelineInput) => number);
  /** The step runs on the enlarged picture */
  enlarged?: true;
  wanted(order: PipelineInput): boolean;
  /** @returns whether the step changed the picture */
  run(job: PipelineState): boolean | Promise<boolean>;
}

/** A picture of two levels has neither noise nor tone. */
const bilevel = ({ source }: PipelineInput): boolean => source.facts.bitDepth === 1;

const changesTone = ({ parameters: { mode } }: PipelineInput): boolean => mode !== 'OFF' && mode !== 'DOCUMENT';

const CODED: readonly MediaType[] = ['image/jpeg', 'image/webp', 'image/heic', 'image/avif'];
/** Whether the format of the file usually codes pictures with losses. */
const isCoded = ({ source }: PipelineInput): boolean => CODED.includes(source.facts.mimetype);

const restoring = ({ source, scale, parameters, models }: PipelineInput): RestoreOrder => {
  return { facts: source.facts, scale, asked: parameters.engineTier, models };
};

const methodOfArtifacts = (input: PipelineInput): ReturnType<typeof artifactsMethod> =>
  artifactsMethod(restoring(input), input.source.jpeg?.quality ?? 100);

/** Runs the network that removes artefacts or noise. @returns false when this machine cannot run it */
async function restoreBy(job: PipelineState, damage: 'artifacts' | 'noise', share: number): Promise<boolean> {
  const name = await restore(job.picture, damage, { models: job.models, share, onPart: job.onPart });
  job.fellBack ||= name === undefined;
  if (name) job.used.push(name);
  return name !== undefined;
}

/** Cost per megapixel of the result, including intermediate sizes. */
function enlargingCost({ scale, parameters, models, source }: PipelineInput): number {
  const { width, height } = source.facts;
  const suited = suitedTier({ ...NO_DAMAGE, quality: source.jpeg?.quality });
  const order = { pixels: width * height, scale, asked: parameters.engineTier, suited, models };
  return costOfEnlarging(order) / scale ** 2;
}

/**
 * The steps between decoding and encoding, in order: repair comes before steps that would amplify or enlarge the
 * damage.
 */
export const PIPELINE: readonly PipelineStep[] = [
  {
    name: 'artifacts',
    cost: (order) => (methodOfArtifacts(order) === 'network' ? NETWORK_COST.artifacts : 170),
    wanted: ({ parameters }) => parameters.artifactsDetectionRemoval === 'AUTO_AI',
    async run(job) {
      const { picture, source, notes, onPart } = job;
      if (!source.jpeg) {
        notes.push({ code: 'ARTIFACTS_NOT_REDUCED', because: 'format' });
        return false;
      }
      const method = methodOfArtifacts(job);
      if (method === 'enlarging') {
        notes.push({ code: 'ARTIFACTS_NOT_REDUCED', because: 'enlarging' });
        return false;
      }
      if (source.jpeg.quality >= CLEAN_QUALITY) {
        notes.push({ code: 'ARTIFACTS_NOT_REDUCED', because: 'quality' });
        return false;
      }
      if (method === 'network' && (await restoreBy(job, 'artifacts', 1))) return true;
      reduceArtifacts(picture, source.jpeg, source.facts.orientation >= 5, onPart);
      return true;
    },
  },
  {
    name: 'noise',
    cost: (order) => (noiseMethod(restoring(order)) === 'network' ? NETWORK_COST.noise : 260),
    wanted: (order) => order.parameters.noiseReductionProfilingMode === 'AUTO' && !bilevel(order),
    async run(job) {
      const { picture, parameters, notes, onPart } = job;
      const strength = parameters.noiseReductionProfilingStrength;
      const sigmas = strength === 0 ? undefined : noiseToReduce(job.whole?.full ?? picture, isCoded(job));
      if (sigmas === undefined) {
        notes.push({ code: 'NOISE_TOO_LOW' });
        return false;
      }
      const sigma = Math.max(...sigmas);
      notes.push({ code: 'NOISE_REDUCED', levels: toTenths(sigma) });
      const share = Math.min(1, 2 * strength) * networkShare(sigma);
      if (noiseMethod(restoring(job)) === 'network' && (await restoreBy(job, 'noise', share))) {
        // The network removes all of the noise from a strength of 0.5; the filter smooths what remains.
        if (strength > 0.5) filterNoise(picture, sigmas, (strength - 0.5) / 2);
      } else {
        filterNoise(picture, sigmas, strength, onPart);
      }
      return true;
    },
  },
  {
    name: 'tone',
    cost: 30,
    wanted: (order) => changesTone(order) && !bilevel(order),
    async run(job) {
      const { notes, whole } = job;
      const picture = whole?.reduced ?? job.picture;
      const { mode, enhanceFaceDetails } = job.parameters;
      if (mode === 'OFF' || mode === 'DOCUMENT') return false;
      if (picture.space === 'cmyk') notes.push({ code: 'TONE_UNCHANGED', because: 'inks' });
      const faces = enhanceFaceDetails === 'ENHANCE' ? await findFaces(whole ? { picture, notes } : job) : [];
      const part = whole && { picture: job.picture, area: whole.area };
      const [name, own] = typeof mode === 'object' ? (['ENHANCE', mode.values] as const) : ([mode] as const);
      const { change, left } = await improveTone(picture, name, { faces, part, own });
      if (change) notes.push(...toneNotes(change));
      else if (left.length === 0 && picture.space !== 'cmyk')
        notes.push({ code: 'TONE_UNCHANGED', because: 'needless' });
      notes.push(...left.map((own) => ({ code: 'TONE_LEFT', ...own }) as const));
      return change !== undefined;
    },
  },
  {
    name: 'document',
    cost: 700,
    wanted: ({ parameters }) => parameters.mode === 'DOCUMENT',
    run(job) {
      if (bilevel(job)) {
        job.notes.push({ code: 'PAGE_NOT_CLEANED', because: 'one-bit' });
        return false;
      }
      const { picture, changed, notes } = cleanPage(job.picture, { onPart: job.onPart });
      job.picture = picture;
      job.notes.push(...notes);
      return changed;
    },
  },
  {
    name: 'faces',
    cost: 60,
    wanted: (order) => order.parameters.enhanceFaceDetails === 'ENHANCE' && !bilevel(order),
    run: enhanceFaces,
  },
  {
    name: 'upscale',
    cost: enlargingCost,
    enlarged: true,
    wanted: ({ scale }) => scale > 1,
    async run(job) {
      const { picture, scale, parameters, models, onPart } = job;
      const repair = parameters.artifactsDetectionRemoval === 'AUTO_AI';
      const quality = job.source.jpeg?.quality;
      const strict = parameters.fidelity === 'STRICT';
      // The networks with noise reduction would remove what the original has.
      const found = strict ? NO_DAMAGE : measureDamage(picture, { quality, coded: isCoded(job), repair });
      const damage = job.whole && !strict ? { ...found, drawing: isDrawing(job.whole.full) } : found;
      const { full } = job.whole ?? { full: picture };
      const pixels = full.width * full.height;
      const enlarged = await enlarge(picture, { scale, asked: parameters.engineTier, models, damage, pixels, onPart });
      if (strict) backProject(picture, enlarged.picture);
      job.picture = enlarged.picture;
      job.used.push(...enlarged.models);
      job.fellBack ||= enlarged.fellBack;
      job.notes.push(enlarged.note);
      if (damage.drawing) job.notes.push({ code: 'DRAWING_RECOGNIZED' });
      return true;
    },
  },
  {
    name: 'resize',
    cost: 150,
    enlarged: true,
    wanted: ({ source, size }) => isResized(source.facts, size),
    run(job) {
      job.picture = resize(job.picture, job.size, job.onPart);
      job.notes.push({ code: 'RESIZED', width: job.size.width, height: job.size.height });
      return true;
    },
  },
  {
    name: 'sharpen',
    cost: 150,
    enlarged: true,
    wanted: ({ parameters }) => parameters.sharpening > 0,
    run({ picture, parameters, scale, onPart }) {
      sharpen(picture, parameters.sharpening, scale, onPart);
      return true;
    },
  },
];

/**
 * Runs the wanted steps in order.
 * @param order decides which steps run
 * @param enter starts a step, and returns the function that takes its completed share
 * @returns the names of the steps that changed the picture
 */
export async function runPipeline(
  order: PipelineInput,
  job: PipelineState,
  enter: (step: StepName) => (part: number) => void,
): Promise<StepName[]> {
  const steps: StepName[] = [];
  for (const step of PIPELINE.filter(({ wanted }) => wanted(order))) {
    job.onPart = enter(step.name);
    if (await step.run(job)) steps.push(step.name);
  }
  return steps;
}
