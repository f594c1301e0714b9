import { setImmediate } from 'node:timers/promises';
import type { PdfDocument } from '../document/pdf-document.ts';
import { isDict, isRef, isStream, type PdfValue } from '../syntax/objects.ts';

/** Lets other events run, and throws when the caller has cancelled the work. @throws the signal's reason */
export async function yieldToEvents(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

/**
 * Returns 1 by the number of every object reachable from the trailer, and of the object streams that contain some of them.
 * With `read`, the objects are those of a new file; `added` has values beside them.
 */
export async function findReachable(
  pdf: PdfDocument,
  {
    signal,
    read = (number) => pdf.get(number),
    added = [],
  }: {
    signal?: AbortSignal | undefined;
    read?: (number: number) => PdfValue;
    added?: readonly PdfValue[];
  } = {},
): Promise<Uint8Array> {
  const { index, trailer } = pdf.xref();
  const live = new Uint8Array(index.size());
  const waiting: number[] = [];
  const mark = (number: number): void => {
    if (number <= 0 || number >= live.length || live[number] === 1) return;
    const entry = index.get(number);
    if (entry === undefined) return;
    live[number] = 1;
    waiting.push(number);
    if (entry.type === 'compressed') mark(entry.container);
  };
  for (const key of ['Root', 'Info', 'Encrypt', 'ID']) markAll(trailer.get(key) ?? null, mark);
  for (const value of added) markAll(value, mark);
  for (let number = waiting.pop(), done = 0; number !== undefined; number = waiting.pop(), done += 1) {
    if (done % 256 === 0) await yieldToEvents(signal);
    markAll(read(number), mark);
  }
  return live;
}

function markAll(value: PdfValue, mark: (number: number) => void): void {
  if (isRef(value)) mark(value.number);
  else if (Array.isArray(value)) for (const item of value) markAll(item, mark);
  else if (isDict(value)) for (const item of value.values()) markAll(item, mark);
  else if (isStream(value)) markAll(value.dict, mark);
}
