import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { UploadWithEnhancements } from '../api/types.ts';
import type { Settings } from '../presets/presets.ts';
import { uploadState } from '../uploads/words.ts';
import { askPdfPrice, type PdfPrice } from './pdf-price.ts';
import { firstPdfOrder } from './pdf-form.tsx';

/** The order of a PDF before it is sent. Each PDF has settings of its own, since they depend on what it contains. */
export interface PdfDraft {
  readonly uploadId: string;
  readonly settings: ReadonlySignal<Settings>;
  /** The price of the present settings; empty until it is known */
  readonly price: ReadonlySignal<PdfPrice>;
  change(settings: Settings): void;
  /** Stops asking for prices. */
  close(): void;
}

/** Whether an upload is an analyzed PDF with something to enhance. */
export const isPricedPdf = (upload: UploadWithEnhancements): boolean =>
  upload.mimetype === 'application/pdf' &&
  uploadState(upload).tone === 'good' &&
  upload.metadata !== null &&
  (upload.metadata.statistics.images > 0 || upload.metadata.statistics.blankPages !== undefined);

/** Begins an order with the settings of the last one, or with those that suit the PDF. */
export function createPdfDraft(upload: UploadWithEnhancements): PdfDraft {
  const { id: uploadId, enhancements } = upload;
  const settings = signal<Settings>({ parameters: enhancements.at(-1)?.parameters ?? firstPdfOrder(upload) });
  const price = signal<PdfPrice>({});
  const close = effect(() => {
    const { parameters } = settings.value;
    price.value = {};
    return askPdfPrice(uploadId, parameters, (answer) => void (price.value = answer));
  });
  return { uploadId, settings, price, change: (next) => void (settings.value = next), close };
}

/** Uses these settings for other PDFs. What they say about single images and pages is for their own PDF alone. */
export function copySettings({ settings }: PdfDraft, others: readonly PdfDraft[]): void {
  const { images: _images, pages: _pages, ...pdf } = settings.value.parameters.pdf ?? {};
  for (const other of others) other.change({ parameters: { ...settings.value.parameters, pdf } });
}
