import { computed, signal } from '@preact/signals';
import type { Settings } from '../presets/presets.ts';
import type { Job } from './job.ts';
import { findUpload, jobs, undecidedImages } from './jobs.ts';
import type { PdfDraft } from './pdf-draft.ts';
import { changesNothing, imagePrice } from './price.ts';

/** The settings for the images of the page; they stay for the next ones. */
export const imageSettings = signal<Settings>({ parameters: {} });

/** Analyzed PDFs that are not ordered yet, each with its draft. */
export const draftedPdfs = computed(() =>
  jobs.value.flatMap((job): { job: Job; draft: PdfDraft }[] => {
    const draft = job.draft.value;
    const upload = findUpload(job);
    const isOpen = draft !== undefined && job.asked.value === undefined && upload !== undefined;
    return isOpen && upload.status !== 'UPLOAD_DELETED' && upload.enhancements.length <= job.known
      ? [{ job, draft }]
      : [];
  }),
);

/** What one press of the button orders, and for which price in credits. */
export const order = computed(() => {
  const { parameters } = imageSettings.value;
  const isIdle = changesNothing(parameters);
  const images = isIdle ? [] : undecidedImages.value;
  const pdfs = draftedPdfs.value.filter(({ draft }) => draft.price.value.credits !== undefined);
  const ofImage = imagePrice(parameters);
  const sum = { min: ofImage.min * images.length, max: ofImage.max * images.length };
  for (const { draft } of pdfs) {
    const { credits = 0, minCredits = credits } = draft.price.value;
    sum.min += minCredits;
    sum.max += credits;
  }
  return { images, pdfs, ...sum };
});

/** Orders each file with its settings: images with the common ones, a PDF with its own and for no more than its price. */
export function orderAll(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>('form.pdf-order')];
  if (!forms.every((form) => form.reportValidity())) return;
  const { images, pdfs } = order.value;
  for (const job of images) job.ask({ settings: imageSettings.value });
  for (const { job, draft } of pdfs) {
    job.ask({ settings: draft.settings.value, maxCredits: draft.price.value.credits });
  }
}
