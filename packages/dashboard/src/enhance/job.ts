import pLimit from 'p-limit';
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { MediaType } from '@burnish/contract';
import { endSession, once, post, remove, sender } from '../api/client.ts';
import type { Upload, UploadWithEnhancements } from '../api/types.ts';
import type { Settings } from '../presets/presets.ts';
import { orderEnhancement } from '../uploads/actions.ts';
import { watchUpload, type LiveUpload } from '../uploads/live-upload.ts';
import { uploadState } from '../uploads/words.ts';
import { checkFile } from './check-file.ts';
import { createPdfDraft, isPricedPdf, type PdfDraft } from './pdf-draft.ts';

export type JobState =
  | { at: 'checking' }
  /** The gateway would refuse the file, so it is not sent */
  | { at: 'refused'; why: string }
  | { at: 'waiting' }
  | { at: 'sending'; fraction: number }
  | { at: 'failed'; error: unknown }
  | { at: 'sent'; live: LiveUpload };

/** What a person has ordered. */
export interface Order {
  settings: Settings;
  /** The highest price, in credits; absent where the settings decide it */
  maxCredits?: number | undefined;
}

/** A dropped file, from its first byte to its result. */
export interface Job {
  readonly key: string;
  readonly name: string;
  /** Bytes; null for a URL */
  readonly size: number | null;
  /** Address of the picture within this page, for what browsers can show; null otherwise */
  readonly picture: string | null;
  /** Enhancements that the upload had before it was added */
  readonly known: number;
  readonly state: ReadonlySignal<JobState>;
  /** The order of a PDF before it is sent; undefined until the PDF is analyzed, and for an image */
  readonly draft: ReadonlySignal<PdfDraft | undefined>;
  /** The order, which is sent as soon as the upload is ready; undefined before a request */
  readonly asked: ReadonlySignal<Order | undefined>;
  /** Why that could not be ordered */
  readonly trouble: ReadonlySignal<unknown>;
  ask(order: Order): void;
  retry(): void;
  /** Stops sending, and watching. A file that is already there stays with the uploads. */
  close(): void;
}

/** Limits parallel uploads, and keeps their order. */
const withUploadLimit = pLimit(2);
const SHOWN_BY_BROWSERS = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif', 'image/bmp'];

export function createFileJob(file: File): Job {
  const picture = SHOWN_BY_BROWSERS.includes(file.type) ? URL.createObjectURL(file) : null;
  return createJob({ name: file.name, size: file.size, picture, known: 0 }, async (sending) => {
    const { say, signal: aborted, idempotencyKey, onMade } = sending;
    const checked = await checkFile(file);
    if ('why' in checked) {
      say({ at: 'refused', why: checked.why });
      return undefined;
    }
    say({ at: 'waiting' });
    return await withUploadLimit(() => {
      aborted.throwIfAborted();
      say({ at: 'sending', fraction: 0 });
      const onProgress = (fraction: number): void => say({ at: 'sending', fraction });
      return sendFile(file, checked.type, { idempotencyKey, signal: aborted, onProgress, onMade });
    });
  });
}

export function createUrlJob(url: string): Job {
  const name = nameIn(new URL(url)) || url;
  return createJob({ name, size: null, picture: null, known: 0 }, async ({ say, signal: aborted, idempotencyKey }) => {
    say({ at: 'waiting' });
    const body = { source: { url } };
    return (await post<Upload>('/v1/uploads', { body, idempotencyKey, signal: aborted })).id;
  });
}

/** An upload that is enhanced once more. */
export function createUploadJob({
  id,
  originalFilename: name,
  filesize: size,
  enhancements,
}: UploadWithEnhancements): Job {
  return createJob({ name, size, picture: null, known: enhancements.length }, () => Promise.resolve(id));
}

/** The last part of the path, decoded; unchanged if it only looks encoded (`100%.jpg`). */
function nameIn({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

interface Sending {
  say: (state: JobState) => void;
  signal: AbortSignal;
  idempotencyKey: string;
  onMade: (id: string) => void;
}

/** Its file is no longer being sent. */
async function giveUp(uploadId: string): Promise<void> {
  try {
    await remove(`/v1/uploads/${uploadId}`, { idempotencyKey: once() });
  } catch {
    // The upload ends by itself at its deadline.
  }
}

/** @param send brings the file to the gateway; undefined when it is refused */
function createJob(
  { name, size, picture, known }: Pick<Job, 'name' | 'size' | 'picture' | 'known'>,
  send: (sending: Sending) => Promise<string | undefined>,
): Job {
  const state = signal<JobState>({ at: 'checking' });
  const draft = signal<PdfDraft | undefined>(undefined);
  const asked = signal<Order | undefined>(undefined);
  const trouble = signal<unknown>(undefined);
  const ended = new AbortController();
  const idempotencyKey = once();
  /** Id of the upload that waits for this file, during or after the last attempt */
  let waiting: string | undefined;

  async function run(): Promise<void> {
    const say = (next: JobState): void => void (state.value = next);
    try {
      const id = await send({ say, signal: ended.signal, idempotencyKey, onMade: (made) => void (waiting = made) });
      waiting = undefined;
      if (id !== undefined && !ended.signal.aborted) state.value = { at: 'sent', live: watchUpload(id) };
    } catch (error) {
      if (!ended.signal.aborted) state.value = { at: 'failed', error };
    }
  }

  async function order(live: LiveUpload, { settings, maxCredits }: Order): Promise<void> {
    trouble.value = undefined;
    try {
      await orderEnhancement(live.id, settings, { maxCredits });
      live.refresh();
    } catch (error) {
      // Other refusals are temporary, so the request may be repeated.
      trouble.value = error;
    }
    asked.value = undefined;
  }

  let ordering = false;
  const stopOrdering = effect(() => {
    const { value: wanted } = asked;
    const { value: now } = state;
    if (wanted === undefined || now.at !== 'sent' || ordering) return;
    const upload = now.live.upload.value;
    if (upload === undefined || uploadState(upload).tone !== 'good') return;
    // The name of a file without a record said that it is an image, and it is none: its price is not known yet.
    if (upload.mimetype === 'application/pdf' && wanted.maxCredits === undefined) {
      asked.value = undefined;
      return;
    }
    ordering = true;
    void order(now.live, wanted).finally(() => (ordering = false));
  });
  const stopDrafting = effect(() => {
    const { value: now } = state;
    const upload = now.at === 'sent' ? now.live.upload.value : undefined;
    if (draft.peek() === undefined && upload !== undefined && isPricedPdf(upload)) draft.value = createPdfDraft(upload);
  });

  void run();
  return {
    key: crypto.randomUUID(),
    name,
    size,
    picture,
    known,
    state,
    draft,
    asked,
    trouble,
    ask: (wanted) => void (asked.value = wanted),
    retry: () => void run(),
    close() {
      ended.abort();
      stopOrdering();
      stopDrafting();
      draft.value?.close();
      if (waiting !== undefined) void giveUp(waiting);
      if (state.value.at === 'sent') state.value.live.close();
      if (picture !== null) URL.revokeObjectURL(picture);
    },
  };
}

interface SendOptions {
  /** Idempotency key: all attempts create one upload */
  idempotencyKey: string;
  signal: AbortSignal;
  /** 0 to 1 */
  onProgress: (fraction: number) => void;
  onMade: (id: string) => void;
}

/** Sends a file. @returns the id of its upload */
async function sendFile(file: File, type: MediaType, options: SendOptions): Promise<string> {
  const { idempotencyKey, signal, onProgress, onMade } = options;
  // Browsers know fewer types than the service.
  const typed = new File([file], file.name, { type });
  const { id } = await endSession(
    sender.uploads.create(typed, {
      idempotencyKey,
      signal,
      onCreated: onMade,
      onProgress: (sent, total) => onProgress(total > 0 ? sent / total : 0),
    }),
  );
  return id;
}
