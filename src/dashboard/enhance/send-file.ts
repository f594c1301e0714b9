import type { MediaType } from '../../domain/upload/media.ts';
import { ApiError } from '../api/api-error.ts';
import { post, readApiError, SESSION_HEADER } from '../api/client.ts';
import { sameOrigin } from '../api/file-address.ts';
import type { Upload } from '../api/types.ts';

/** Size in bytes above which files are sent straight to the storage by a signed address; smaller ones are faster through the gateway. */
const SIGNED_FROM_BYTES = 16_000_000;

export interface SendOptions {
  /** Idempotency key: all attempts create one upload */
  idempotencyKey: string;
  signal: AbortSignal;
  /** 0 to 1 */
  onProgress: (fraction: number) => void;
  onMade: (id: string) => void;
}

export async function sendFile(file: File, type: MediaType, options: SendOptions): Promise<string> {
  if (file.size < SIGNED_FROM_BYTES) {
    const path = `/v1/uploads?${new URLSearchParams({ filename: file.name }).toString()}`;
    const headers = { ...SESSION_HEADER, 'content-type': type, 'idempotency-key': options.idempotencyKey };
    const { id } = JSON.parse(await transmit('POST', path, headers, file, options)) as Upload;
    return id;
  }
  const { idempotencyKey, signal, onMade } = options;
  const body = { filename: file.name, filesize: file.size, mimetype: type };
  const made = await post<Upload & { uploadUrl: string }>('/v1/uploads/signed', { body, idempotencyKey, signal });
  onMade(made.id);
  await transmit('PUT', sameOrigin(made.uploadUrl, '/uploads/'), { 'content-type': type }, file, options);
  await post(`/v1/uploads/${made.id}/complete`, { idempotencyKey: `${idempotencyKey}-complete`, signal });
  return made.id;
}

/** XMLHttpRequest, because fetch does not report the progress of sending. @returns the text of the answer */
function transmit(
  method: string,
  address: string,
  headers: Record<string, string>,
  file: File,
  { signal, onProgress }: SendOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) resolve(responseText);
      else readApiError({ status, text: async () => responseText }).then(reject, reject);
    });
    request.addEventListener('error', () =>
      reject(
        new ApiError({
          status: 0,
          code: 'UNREACHABLE',
          detail: 'The connection was lost while the file was sent. Check the network, and try again.',
        }),
      ),
    );
    request.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
    else request.send(file);
  });
}
