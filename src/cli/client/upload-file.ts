import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { UploadWithEnhancementsRepresentation } from '../../domain/representations/upload.ts';
import { callJson, type Instance } from './call.ts';

export interface UploadFileOptions {
  enhancements: EnhancementParameters[];
  password?: string;
  /** Seconds to wait for credits; 0 fails at once */
  creditWait?: number;
  batch?: boolean;
  signal?: AbortSignal | undefined;
  /** Bytes written to the connection so far */
  onSent?: (bytes: number) => void;
}

/**
 * Sends a file with its requested enhancements as a stream: memory does not grow with the file.
 * @throws ClientError
 */
export async function uploadFile(
  instance: Instance,
  path: string,
  options: UploadFileOptions,
): Promise<UploadWithEnhancementsRepresentation> {
  const { size } = await stat(path);
  const query = new URLSearchParams({ filename: basename(path), enhancements: JSON.stringify(options.enhancements) });
  if (options.creditWait !== undefined) query.set('creditWait', String(options.creditWait));
  if (options.batch === true) query.set('priority', 'BATCH');
  return await callJson(instance, `/v1/uploads?${query.toString()}`, {
    method: 'POST',
    headers: {
      // The server detects the type by the content.
      'content-type': 'application/octet-stream',
      'content-length': String(size),
      // A second attempt never creates a second upload.
      'idempotency-key': randomUUID(),
      ...(options.password === undefined ? {} : { 'x-pdf-password': encodeURIComponent(options.password) }),
    },
    body: () => (size === 0 ? new Uint8Array() : openBody(path, size, options.onSent)),
    signal: options.signal,
  });
}

/** Exactly as many bytes as the length that was declared, even if the file grows meanwhile. */
function openBody(path: string, size: number, onSent?: (bytes: number) => void): ReadableStream<Uint8Array> {
  let sent = 0;
  const file = createReadStream(path, { end: size - 1 });
  file.on('data', (chunk) => onSent?.((sent += chunk.length)));
  file.pause();
  return Readable.toWeb(file) as ReadableStream<Uint8Array>;
}
