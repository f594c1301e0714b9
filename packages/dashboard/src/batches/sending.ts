import pLimit from 'p-limit';
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import { BurnishError, type NewBatchItem } from '@burnish/client';
import { burnish, endSession, onSignedOut, once, sender } from '../api/client.ts';
import type { CheckedFile, LeftOutFile } from './folder.ts';

/** The transfer of a folder into a batch. It continues while a person visits another page of the dashboard. */
export interface Sending {
  readonly batchId: string;
  readonly files: number;
  readonly sentFiles: ReadonlySignal<number>;
  /** 0 to 1, by bytes */
  readonly fraction: ReadonlySignal<number>;
  /** Undefined before the pace is known */
  readonly secondsLeft: ReadonlySignal<number | undefined>;
  readonly failed: ReadonlySignal<readonly LeftOutFile[]>;
  readonly at: ReadonlySignal<'sending' | 'failed' | 'closed'>;
  /** Sends the failed files again. */
  retry(): void;
  /** Starts the batch without the failed files. */
  close(): Promise<void>;
  stop(): void;
}

/** The transfers of this page, by the ids of their batches */
export const sendings = signal<ReadonlyMap<string, Sending>>(new Map());

const FILES_AT_ONCE = 3;
/** Items that are added to the batch together. */
const ITEMS_AT_ONCE = 20;
/** Milliseconds after which the pace is worth a word. */
const PACE_MS = 3_000;

onSignedOut(() => {
  for (const each of sendings.value.values()) each.stop();
  sendings.value = new Map();
});

const isSending = computed(() => [...sendings.value.values()].some(({ at }) => at.value === 'sending'));
const askBeforeLeaving = (event: Event): void => event.preventDefault();
effect(() => {
  if (isSending.value) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
});

/**
 * Sends files, adds each to the batch under its path, and closes the batch after the last one. Files whose paths the batch has
 * already are not sent again, so a person may choose the same folder after an interruption.
 */
export function sendFolder(batchId: string, files: readonly CheckedFile[]): Sending {
  const bytes = Math.max(
    1,
    files.reduce((sum, { file }) => sum + file.size, 0),
  );
  const sentFiles = signal(0);
  const sentBytes = signal(0);
  const failed = signal<readonly LeftOutFile[]>([]);
  const at = signal<'sending' | 'failed' | 'closed'>('sending');
  const ended = new AbortController();
  /** What this page has sent itself, which gives the pace */
  const pace = { since: performance.now(), bytes: 0 };
  let waiting: NewBatchItem[] = [];

  const flush = async (): Promise<void> => {
    const items = waiting;
    waiting = [];
    if (items.length > 0) await burnish.batches.add(batchId, items, { signal: ended.signal });
  };

  async function sendOne({ path, file, type }: CheckedFile): Promise<void> {
    ended.signal.throwIfAborted();
    let counted = 0;
    const onProgress = (sent: number): void => {
      sentBytes.value += sent - counted;
      pace.bytes += sent - counted;
      counted = sent;
    };
    try {
      const typed = new File([file], file.name, { type });
      const options = { idempotencyKey: once(), signal: ended.signal, onProgress };
      const { id } = await endSession(sender.uploads.create(typed, options));
      onProgress(file.size);
      waiting.push({ uploadId: id, key: path });
      if (waiting.length >= ITEMS_AT_ONCE) await flush();
      sentFiles.value += 1;
    } catch (error) {
      onProgress(0);
      if (ended.signal.aborted) return;
      const why = error instanceof BurnishError ? error.message : 'The file cannot be read. Choose the folder again.';
      failed.value = [...failed.value, { path, why }];
    }
  }

  async function send(wanted: readonly CheckedFile[]): Promise<void> {
    at.value = 'sending';
    failed.value = [];
    const limit = pLimit(FILES_AT_ONCE);
    try {
      const known = await knownKeys(batchId, ended.signal);
      const there = wanted.filter(({ path }) => known.has(path));
      sentFiles.value += there.length;
      sentBytes.value += there.reduce((sum, { file }) => sum + file.size, 0);
      await Promise.all(wanted.filter(({ path }) => !known.has(path)).map((each) => limit(() => sendOne(each))));
      await flush();
      if (failed.value.length === 0) await close();
      else at.value = 'failed';
    } catch (error) {
      if (ended.signal.aborted) return;
      const why = error instanceof BurnishError ? error.message : 'The transfer ended early. Try again.';
      failed.value = [...failed.value, { path: 'The batch', why }];
      at.value = 'failed';
    }
  }

  async function close(): Promise<void> {
    await burnish.batches.close(batchId, { idempotencyKey: once() });
    at.value = 'closed';
  }

  const sending: Sending = {
    ...{ batchId, files: files.length, sentFiles, failed, at, close },
    fraction: computed(() => Math.min(1, sentBytes.value / bytes)),
    secondsLeft: computed(() => {
      const left = bytes - sentBytes.value;
      const ms = performance.now() - pace.since;
      return ms < PACE_MS || pace.bytes === 0 ? undefined : (left * ms) / pace.bytes / 1000;
    }),
    retry() {
      // The batch knows which files it has.
      sentFiles.value = 0;
      sentBytes.value = 0;
      Object.assign(pace, { since: performance.now(), bytes: 0 });
      void send(files);
    },
    stop: () => ended.abort(),
  };
  sendings.value = new Map(sendings.value).set(batchId, sending);
  void send(files);
  return sending;
}

/** The keys of the items that the batch has. */
async function knownKeys(batchId: string, signal: AbortSignal): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key } of burnish.batches.items(batchId, { limit: 100, signal })) keys.add(key);
  return keys;
}
