import { computed, effect, signal } from '@preact/signals';
import type { UploadWithEnhancements } from '../api/types.ts';
import { onSignedOut } from '../api/client.ts';
import { enhancementState, uploadState } from '../uploads/words.ts';
import { createFileJob, createUploadJob, createUrlJob, type Job } from './job.ts';

/** Files that were added since the page was opened, newest first. They remain while a person visits another page of the dashboard. */
export const jobs = signal<readonly Job[]>([]);

/** A longer list would be hard to read; the rest can follow. */
const MOST_JOBS = 100;

/** Files that were not added last, because of the limit */
export const leftOut = signal(0);

/** Sends files. */
export const addFiles = (files: readonly File[]): void => add(files, createFileJob);

/** Adds uploads that are there, to enhance them once more. */
export function addUploads(uploads: readonly UploadWithEnhancements[]): void {
  const ids = new Set(uploads.map(({ id }) => id));
  for (const job of jobs.value) if (ids.has(findUpload(job)?.id ?? '')) removeJob(job);
  add(uploads, createUploadJob);
}

function add<Source>(sources: readonly Source[], create: (source: Source) => Job): void {
  const room = Math.max(0, MOST_JOBS - jobs.value.length);
  jobs.value = [...sources.slice(0, room).map(create), ...jobs.value];
  leftOut.value = Math.max(0, sources.length - room);
}

export function addUrl(url: string): void {
  jobs.value = [createUrlJob(url), ...jobs.value];
}

export function removeJob(job: Job): void {
  job.close();
  jobs.value = jobs.value.filter((each) => each !== job);
}

// The next account must not see the files of this one.
onSignedOut(() => {
  for (const job of jobs.value) job.close();
  jobs.value = [];
});

/** Images without requested settings, in transfer or ready. */
export const undecidedImages = computed(() => jobs.value.filter(isUndecidedImage));

/** The record of a sent file; undefined until it is read. */
export function findUpload({ state: { value: now } }: Job): UploadWithEnhancements | undefined {
  return now.at === 'sent' ? now.live.upload.value : undefined;
}

function isUndecidedImage(job: Job): boolean {
  const { state, asked, name } = job;
  const { value: now } = state;
  if (asked.value !== undefined) return false;
  const upload = findUpload(job);
  // Before the record is read, only the name is available.
  if (upload === undefined) return ['waiting', 'sending', 'sent'].includes(now.at) && !/\.pdf$/i.test(name);
  const isImage = upload.mimetype?.startsWith('image/') === true;
  return (
    isImage &&
    uploadState(upload).tone !== 'bad' &&
    upload.status !== 'UPLOAD_DELETED' &&
    upload.enhancements.length <= job.known
  );
}

/** The id of the card of a file. */
export const anchorOf = ({ key }: Job): string => `file-${key}`;

/** Files that go on only when a person does something. */
export const troubledJobs = computed(() => jobs.value.filter(isTroubled));

function isTroubled(job: Job): boolean {
  const { at } = job.state.value;
  if (at === 'refused' || at === 'failed' || job.trouble.value !== undefined) return true;
  const upload = findUpload(job);
  if (upload === undefined || upload.status === 'UPLOAD_DELETED') return false;
  const newest = upload.enhancements.slice(job.known).at(-1);
  return ['bad', 'warning'].includes((newest === undefined ? uploadState(upload) : enhancementState(newest)).tone);
}

export const unfinished = computed(() => jobs.value.filter(needsThisPage).length);

function needsThisPage({ state, asked }: Job): boolean {
  const { at } = state.value;
  return at === 'checking' || at === 'waiting' || at === 'sending' || (at === 'sent' && asked.value !== undefined);
}

const askBeforeLeaving = (event: Event): void => event.preventDefault();
effect(() => {
  if (unfinished.value > 0) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
});
