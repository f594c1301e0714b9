import type { ImageParameters } from '../../domain/parameters.ts';
import { reduceArtifacts } from './artifacts.ts';
import { reduceNoise } from './noise.ts';
import type { Picture } from './picture.ts';
import { sharpen } from './sharpen.ts';
import type { ImageSource } from './source.ts';
import { improveTone } from './tone.ts';
import { upscale } from './upscale.ts';

/** What was asked of which file. */
export interface PipelineOrder {
  readonly parameters: ImageParameters;
  readonly source: ImageSource;
  /** Enlargement of width and height by the step `upscale` */
  readonly scale: number;
}

/** What a step works with. A step changes `picture` in place or replaces it, and says in `notes` what it decided. */
export interface PipelineJob extends PipelineOrder {
  picture: Picture;
  notes: string[];
  /** Tells how far the step is, 0 to 1 */
  onPart: (part: number) => void;
}

export interface PipelineStep {
  name: string;
  /** CPU milliseconds a megapixel, about: what share of the progress bar the step takes */
  cost: number;
  /** Works on the enlarged picture */
  enlarged?: true;
  wanted(order: PipelineOrder): boolean;
  /** @returns whether the picture was changed */
  run(job: PipelineJob): boolean;
}

/** Two levels have neither noise nor tone. */
const bilevel = ({ source }: PipelineOrder): boolean => source.facts.bitDepth === 1;

/** The steps between decoding and encoding, in their order: damage is repaired before it is amplified or enlarged. */
export const PIPELINE: readonly PipelineStep[] = [
  {
    name: 'artifacts',
    cost: 170,
    wanted: ({ parameters }) => parameters.artifactsDetectionRemoval === 'AUTO_AI',
    run({ picture, source, notes, onPart }) {
      const { jpeg, facts } = source;
      const done = jpeg !== undefined && reduceArtifacts(picture, jpeg, facts.orientation >= 5, onPart);
      if (!jpeg) notes.push('Compression artefacts are looked for in JPEG files only.');
      else if (!done) notes.push('The quality of the JPEG leaves no compression artefacts to remove.');
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
    run({ picture, parameters: { mode }, notes }) {
      if (mode === 'OFF') return false;
      if (picture.space === 'cmyk') notes.push('Tone and colour were left alone: the picture is in CMYK.');
      const done = improveTone(picture, mode);
      if (done.length === 0 && picture.space !== 'cmyk') notes.push('Tone and colour needed no change.');
      return done.length > 0;
    },
  },
  {
    name: 'upscale',
    cost: 45,
    enlarged: true,
    wanted: ({ scale }) => scale > 1,
    run(job) {
      job.picture = upscale(job.picture, job.scale, job.onPart);
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
