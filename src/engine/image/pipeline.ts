import type { ImageParameters } from '../../domain/enhancement/parameters.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { planDoublings, TIER_COST } from '../neural/plan-doublings.ts';
import { reduceArtifacts } from './steps/artifacts.ts';
import { damageOf, levelFor } from './steps/denoise-level.ts';
import { enhanceFaces, findFaces } from './faces/enhance-faces.ts';
import type { FacesJob } from './faces/enhance-faces.ts';
import { enlarge } from './steps/enlarge.ts';
import { reduceNoise } from './steps/noise.ts';
import type { Picture } from './picture.ts';
import { sharpen } from './steps/sharpen.ts';
import type { ImageSource } from './codecs/source.ts';
import { repair, REPAIR_COST, repairTier } from './steps/repair.ts';
import { improveTone } from './steps/tone.ts';

/** A file and the parameters of its enhancement. */
export interface PipelineInput {
  readonly parameters: ImageParameters;
  readonly source: ImageSource;
  /** Enlargement factor of width and height in the step `upscale` */
  readonly scale: number;
  /** Available neural networks */
  readonly models: ModelSet;
}

/**
 * State of one run of the pipeline. A step changes `picture` in place or replaces it, and explains its decisions in
 * `notes`.
 */
export interface PipelineState extends PipelineInput, FacesJob {
  picture: Picture;
  notes: string[];
  /** Names of the networks applied so far, in order */
  used: string[];
  /** A required network failed to load */
  fellBack: boolean;
  /** Reports the progress of the step, 0 to 1 */
  onPart: (part: number) => void;
}

export interface PipelineStep {
  name: string;
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

function repairTierOf({ source, scale, parameters, models }: PipelineInput): ReturnType<typeof repairTier> {
  const quality = source.jpeg?.quality ?? 100;
  return repairTier({ facts: source.facts, quality, scale, asked: parameters.engineTier, models });
}

/** Cost per megapixel of the result, including intermediate sizes. */
function enlargingCost({ scale, parameters, models, source }: PipelineInput): number {
  const { width, height } = source.facts;
  const tiers = planDoublings({ pixels: width * height, scale, asked: parameters.engineTier, models });
  return tiers.reduce((sum, tier, i) => sum + TIER_COST[tier] * 4 ** (i + 1), 0) / scale ** 2;
}

/**
 * The steps between decoding and encoding, in order: repair comes before steps that would amplify or enlarge the
 * damage.
 */
export const PIPELINE: readonly PipelineStep[] = [
  {
    name: 'artifacts',
    cost: (order) => (repairTierOf(order) === 'fine' ? REPAIR_COST : 170),
    wanted: ({ parameters }) => parameters.artifactsDetectionRemoval === 'AUTO_AI',
    async run(job) {
      const { source, models, notes, onPart } = job;
      if (!source.jpeg) {
        notes.push('Compression artefacts are looked for in JPEG files only.');
        return false;
      }
      const tier = repairTierOf(job);
      if (tier === 'enlarging') {
        notes.push('Compression artefacts are removed while enlarging.');
        return false;
      }
      const repaired = tier === 'fine' ? await repair(job.picture, source.jpeg, models, onPart) : undefined;
      job.fellBack ||= tier === 'fine' && !repaired;
      if (repaired) {
        job.picture = repaired.picture;
        job.used.push(repaired.model);
        return true;
      }
      const done = reduceArtifacts(job.picture, source.jpeg, source.facts.orientation >= 5, onPart);
      if (!done) notes.push('The quality of the JPEG leaves no compression artefacts to remove.');
      return done;
    },
  },
  {
    name: 'noise',
    cost: 260,
    wanted: (order) => order.parameters.noiseReductionProfilingMode === 'AUTO' && !bilevel(order),
    run({ picture, parameters, notes, onPart }) {
      const sigma = reduceNoise(picture, parameters.noiseReductionProfilingStrength, onPart);
      if (sigma === undefined) notes.push('There was no noise worth removing.');
      else notes.push(`Noise of about ${sigma.toFixed(1)} levels was reduced.`);
      return sigma !== undefined;
    },
  },
  {
    name: 'tone',
    cost: 30,
    wanted: (order) => order.parameters.mode !== 'OFF' && !bilevel(order),
    async run(job) {
      const { picture, notes } = job;
      const { mode, enhanceFaceDetails } = job.parameters;
      if (mode === 'OFF') return false;
      if (picture.space === 'cmyk') notes.push('Tone and colour were left alone: the picture is in CMYK.');
      const faces = enhanceFaceDetails === 'ENHANCE' ? await findFaces(job) : [];
      const done = improveTone(picture, mode, faces);
      if (done.includes('local light')) notes.push('Light was added where the picture lacks it.');
      if (done.length === 0 && picture.space !== 'cmyk') notes.push('Tone and colour needed no change.');
      return done.length > 0;
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
      const repairWanted = parameters.artifactsDetectionRemoval === 'AUTO_AI';
      const damage = damageOf(picture, job.source.jpeg?.quality, repairWanted);
      const level = levelFor(damage);
      const enlarged = await enlarge(picture, { scale, asked: parameters.engineTier, models, level, onPart });
      job.picture = enlarged.picture;
      job.used.push(...enlarged.models);
      job.fellBack ||= enlarged.fellBack;
      job.notes.push(enlarged.note);
      if (damage.drawing) job.notes.push('It was taken for a page or a drawing, whose fine lines are no noise.');
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
