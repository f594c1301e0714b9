import { BurnishError } from './burnish-error.ts';
import { pauseAfter, pauseBefore, sleep, type Progress, type Transport } from './transport.ts';
import type { UploadWithEnhancements } from './types.ts';
import { workError } from './work-error.ts';

/** Size in bytes from which a file of known length is sent in parts by tus. */
export const RESUMABLE_FROM_BYTES = 8_000_000;
/** Bytes of one request. A proxy that collects whole requests loses at most this at a cut. */
const REQUEST_BYTES = 32 * 1024 * 1024;
/** The server is at another offset, or another request still holds the upload. */
const ELSEWHERE = [409, 423];
/** Refusals of the file itself. */
const REFUSED = [400, 413, 415, 422];
/** Whether the rest of the file is of no use. Without a status, the file itself has changed. */
const isRefusal = ({ code, status }: BurnishError): boolean =>
  REFUSED.includes(status) || (status === 0 && code === 'BAD_USER_INPUT');
const TUS = { 'tus-resumable': '1.0.0' } as const;

export interface ResumableOptions {
  /** Fields of the order, as in `POST /v1/uploads`; objects are sent as JSON text */
  fields: Readonly<Record<string, unknown>>;
  password?: string | undefined;
  /** With a key of the caller, the same call continues an earlier upload */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  onCreated?: ((id: string) => void) | undefined;
  onProgress?: Progress | undefined;
}

/**
 * Sends a file in parts, and continues after each lost connection with the first missing byte. As long as bytes arrive, any number of cuts is
 * survived. A refused upload is deleted.
 * @throws BurnishError; the reason of an aborted signal
 */
export async function sendResumable(
  transport: Transport,
  bytes: Blob,
  options: ResumableOptions,
): Promise<UploadWithEnhancements> {
  const { fields, password, idempotencyKey, signal, onCreated } = options;
  const headers = {
    ...TUS,
    'upload-length': String(bytes.size),
    'upload-metadata': toMetadata(fields),
    ...(password === undefined ? {} : { 'x-pdf-password': encodeURIComponent(password) }),
  };
  const created = await transport.json<UploadWithEnhancements>('POST', '/v1/tus', { headers, idempotencyKey, signal });
  onCreated?.(created.id);
  const id = encodeURIComponent(created.id);
  const path = `/v1/tus/${id}`;
  try {
    await sendBytes(transport, path, bytes, options);
  } catch (error) {
    const isRefused = error instanceof BurnishError && isRefusal(error);
    const isGivenUp = signal?.aborted === true && idempotencyKey === undefined;
    if (isRefused || isGivenUp) await transport.send('DELETE', path, { headers: TUS }).catch(() => undefined);
    throw error;
  }
  return await transport.json('GET', `/v1/uploads/${id}`, { signal });
}

async function sendBytes(
  transport: Transport,
  path: string,
  bytes: Blob,
  { idempotencyKey, signal, onProgress }: ResumableOptions,
): Promise<void> {
  let offset = 0;
  let isKnown = idempotencyKey === undefined;
  for (let failures = 0; !isKnown || offset < bytes.size;) {
    try {
      if (!isKnown) {
        const found = await readOffset(transport, path, signal);
        if (found > offset) failures = 0;
        offset = found;
        isKnown = true;
        continue;
      }
      const start = offset;
      const part = bytes.slice(start, start + REQUEST_BYTES);
      const report = onProgress && ((sent: number) => onProgress(start + sent, bytes.size));
      await transport.send('PATCH', path, {
        headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(start) },
        // One attempt: the next one starts where the server is by then.
        body: { open: () => part, once: true, onProgress: report },
        signal,
      });
      offset += part.size;
      failures = 0;
    } catch (error) {
      if (!(error instanceof BurnishError)) throw error;
      const pause = ELSEWHERE.includes(error.status) ? pauseAfter(failures) : pauseBefore(failures, error);
      if (pause === undefined || failures >= transport.options.maxRetries) throw error;
      await sleep(pause, signal);
      failures += 1;
      isKnown = false;
    }
  }
}

/** Bytes that the server has. @throws BurnishError with the reason of an upload that failed */
async function readOffset(transport: Transport, path: string, signal: AbortSignal | undefined): Promise<number> {
  try {
    const response = await transport.send('HEAD', path, { headers: TUS, signal });
    return Number(response.headers.get('upload-offset'));
  } catch (error) {
    if (!(error instanceof BurnishError) || error.status !== 410) throw error;
    // An answer to HEAD has no body with the reason.
    throw workError(await transport.json('GET', path.replace('/tus/', '/uploads/'), { signal }), undefined, 410);
  }
}

/** `Upload-Metadata` of the fields that are given. */
function toMetadata(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${toBase64(typeof value === 'object' ? JSON.stringify(value) : String(value))}`)
    .join(',');
}

function toBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
