import { DETECT_BYTES } from '../domain/upload/media.ts';

/** A body whose first bytes have been read, to tell its type before the rest comes. */
export interface OpenedBody {
  /** `DETECT_BYTES` or more, or all there is */
  head: Buffer;
  rest: AsyncIterator<Uint8Array>;
}

/** A body that is not read to its end stays open: its maker decides on the source. */
export async function openBody(rest: AsyncIterator<Uint8Array>): Promise<OpenedBody> {
  const head: Uint8Array[] = [];
  for (let size = 0; size < DETECT_BYTES;) {
    const next = await rest.next();
    if (next.done === true) break;
    head.push(next.value);
    size += next.value.byteLength;
  }
  return { head: Buffer.concat(head), rest };
}

/** All of its bytes, from the first. */
export async function* wholeBody({ head, rest }: OpenedBody): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
