import {
  PDF_PARAMETERS,
  counted,
  formatNumber,
  isTerminal,
  droppedPages,
  keptPages,
  resolveImageParameters,
  type EnhancementStatus,
  type ParametersRepresentation,
  type StepName,
  type WaitingFor,
} from '@burnish/contract';
import type { Enhancement, Upload, UploadWithEnhancements } from '../api/types.ts';
import { imageSummary } from '../enhance/image-controls.ts';

export type Tone = 'neutral' | 'good' | 'busy' | 'warning' | 'bad';
export interface StateWords {
  label: string;
  tone: Tone;
}

export function uploadState({ status, subStatus, mimetype, waitingFor }: Upload): StateWords {
  if (waitingFor !== null) return WAITING[waitingFor];
  switch (status) {
    case 'UPLOAD_PENDING':
      return { label: 'Waiting for its file', tone: 'busy' };
    case 'UPLOAD_PROCESSING':
      return { label: 'Checking', tone: 'busy' };
    case 'UPLOAD_FAILED':
      return { label: 'Failed', tone: 'bad' };
    case 'UPLOAD_DELETED':
      return { label: 'Deleted', tone: 'neutral' };
    case 'UPLOAD_FINISHED':
      if (subStatus === 'METADATA_ANALYZED_FAILED') return { label: 'Analysis failed', tone: 'bad' };
      if (mimetype === 'application/pdf' && subStatus !== 'METADATA_ANALYZED_SUCCESSFULLY')
        return { label: 'Analyzing', tone: 'busy' };
      return { label: 'Ready', tone: 'good' };
  }
}

const ENHANCEMENT_STATES: Record<EnhancementStatus, StateWords> = {
  QUEUED: { label: 'Queued', tone: 'busy' },
  AWAITING_APPROVAL: { label: 'Waiting for your approval', tone: 'warning' },
  AWAITING_CREDITS: { label: 'Waiting for credits', tone: 'warning' },
  PROCESSING: { label: 'Processing', tone: 'busy' },
  FINISHED: { label: 'Finished', tone: 'good' },
  ERROR: { label: 'Failed', tone: 'bad' },
  CANCELLED: { label: 'Cancelled', tone: 'neutral' },
};

const waiting = (forWhat: string): StateWords => ({ label: `Waiting for ${forWhat}`, tone: 'busy' });

/** An unavailable part of the instance needs no action by this person. */
const WAITING: Record<WaitingFor, StateWords> = {
  storage: waiting('storage'),
  database: waiting('the database'),
  disk: waiting('disk space'),
  memory: waiting('memory'),
  worker: waiting('a worker'),
  bucket: waiting('the bucket'),
  hosted: waiting('the hosted service'),
  credits: ENHANCEMENT_STATES.AWAITING_CREDITS,
  approval: ENHANCEMENT_STATES.AWAITING_APPROVAL,
  destination: waiting('the destination'),
};

export const enhancementState = ({ status, waitingFor }: Pick<Enhancement, 'status' | 'waitingFor'>): StateWords =>
  waitingFor === null ? ENHANCEMENT_STATES[status] : WAITING[waitingFor];

/** The state of an upload with its enhancements: one that waits for a person, else one at work, else the newest. */
export function overallState(upload: UploadWithEnhancements): StateWords {
  const own = uploadState(upload);
  if (own.tone !== 'good') return own;
  const states = upload.enhancements.map(enhancementState);
  const open = (wanted: Tone): StateWords | undefined => states.find(({ tone }) => tone === wanted);
  return open('warning') ?? open('busy') ?? states.at(-1) ?? own;
}

/** Words for each step of images, which the compiler asks for, and for the steps around them. */
const STEPS: Record<StepName, string> & Record<string, string> = {
  decode: 'Opening the image',
  artifacts: 'Removing JPEG artefacts',
  noise: 'Removing noise',
  tone: 'Balancing light and colour',
  color: 'Balancing light and colour',
  document: 'Cleaning the page',
  upscale: 'Enlarging',
  resize: 'Reducing to the target size',
  faces: 'Brightening faces',
  sharpen: 'Sharpening',
  encode: 'Writing the file',
  analyze: 'Analyzing the images',
  images: 'Enhancing the images',
  assemble: 'Assembling the PDF',
  verify: 'Checking the result',
};

export const stepWords = (step: string): string => STEPS[step] ?? step;

export function summarizeParameters(parameters: ParametersRepresentation, kind: 'image' | 'pdf'): string {
  if (kind === 'pdf') {
    const { mode, targetResolution, upscalingThreshold, customColorConfig: color, pdf } = parameters;
    const kept = keptPages(pdf?.pages).length;
    const dpi = targetResolution ?? (mode === 'DOCUMENT' ? undefined : PDF_PARAMETERS.targetResolution.default);
    const words = [dpi === undefined ? 'images keep their size' : `images at ${formatNumber(dpi)} DPI`];
    if (upscalingThreshold !== undefined) words.push(`enlarged by more than ${formatNumber(upscalingThreshold)} times`);
    if (mode === 'DOCUMENT') words.push('scanned pages cleaned');
    else words.push(color?.auto === false ? 'colours as they are' : 'light and colour corrected');
    if (kept > 0) words.push(`${counted(kept, 'original page')} kept`);
    const dropped = droppedPages(pdf?.pages).length;
    if (dropped > 0) words.push(`${counted(dropped, 'page')} left out`);
    return capital(words.join(', '));
  }
  return capital(imageSummary(resolveImageParameters(parameters)).join(', '));
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What was charged for an upload, or the most that its open enhancements may cost; empty before the first one. */
export function priceOfAll({ enhancements }: UploadWithEnhancements): string {
  const charges = enhancements.flatMap(({ chargedCredits }) => chargedCredits ?? []);
  const estimates = enhancements.flatMap(({ status, estimatedCredits }) =>
    isTerminal(status) ? [] : (estimatedCredits ?? []),
  );
  if (estimates.length > 0) return `at most ${credits(sum([...charges, ...estimates]))}`;
  return charges.length > 0 ? credits(sum(charges)) : '';
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** `1 credit`, `12 credits` */
export const credits = (count: number): string => counted(count, 'credit');
