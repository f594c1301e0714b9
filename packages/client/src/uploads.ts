import type { UploadStatus } from '@burnish/contract';
import type { EnhancementOrder } from './enhancements.ts';
import { openSource, type FileContent, type FileSource } from './file-source.ts';
import { followUpload, type FollowOptions, type UploadEvent } from './follow-upload.ts';
import { eachItem, type ListOptions } from './listing.ts';
import { RESUMABLE_FROM_BYTES, sendResumable } from './resumable-upload.ts';
import type { CallOptions, Progress, Transport } from './transport.ts';
import type { TimelineEntry, Upload, UploadWithEnhancements } from './types.ts';

export interface UploadOptions extends Pick<CallOptions, 'signal' | 'idempotencyKey'> {
  /** Name of the file. Default: that of the path, of the `File` or in the URL */
  filename?: string;
  /** Enhancements that start when the upload is ready, at most 20 */
  enhancements?: EnhancementOrder[];
  /** Password of an encrypted PDF */
  password?: string;
  /** Receives every event of this upload, signed */
  webhookUrl?: string;
  provider?: 'LOCAL' | 'HOSTED';
  fallback?: 'NONE' | 'LOCAL';
  priority?: 'STANDARD' | 'BATCH';
  /** Your own id, 1 to 200 characters */
  reference?: string;
  customMetadata?: Record<string, unknown>;
  /** Credits; an estimate above it needs your approval */
  maxCredits?: number;
  /** Seconds to wait for credits; 0 fails at once */
  creditWait?: number;
}

export interface FileUploadOptions extends UploadOptions {
  /** The upload has an id. A large file can still be on its way */
  onCreated?: ((id: string) => void) | undefined;
  /** Bytes that were sent, and all bytes. Streams have no report */
  onProgress?: Progress | undefined;
}

/** A file in a bucket that the operator registered for the account. */
export interface BucketSource {
  bucket: string;
  key: string;
}

const isBucketSource = (source: FileSource | BucketSource): source is BucketSource =>
  typeof source === 'object' && source !== null && 'bucket' in source && 'key' in source;

type SendOptions = Omit<FileUploadOptions, 'onCreated'>;

export interface UploadFilter extends ListOptions {
  status?: UploadStatus;
  reference?: string;
  /** ISO 8601 */
  createdAfter?: string;
  /** ISO 8601 */
  createdBefore?: string;
}

/** The uploads of the account. All methods throw BurnishError, or the reason of an aborted signal. */
export class Uploads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a file as a stream, so memory does not grow with it. After a lost connection, a file of known length is sent again, and
   * one above 8 MB continues where it was. It creates one upload.
   * @param source the service downloads a URL, and reads a file from a registered bucket
   */
  async create(
    source: FileSource | URL | BucketSource,
    options: FileUploadOptions = {},
  ): Promise<UploadWithEnhancements> {
    const { onCreated, ...rest } = options;
    let upload: UploadWithEnhancements;
    if (source instanceof URL) upload = await this.#createFrom({ url: source.href }, rest);
    else if (isBucketSource(source)) upload = await this.#createFrom(source, rest);
    else {
      const file = await openSource(source, options.filename);
      const { filename, bytes } = file;
      if (bytes instanceof Blob && bytes.size > RESUMABLE_FROM_BYTES)
        return await this.#createResumable(filename, bytes, options);
      upload = await this.#createDirectly(file, rest);
    }
    onCreated?.(upload.id);
    return upload;
  }

  get(id: string, call?: CallOptions): Promise<UploadWithEnhancements> {
    return this.#transport.json('GET', `/v1/uploads/${encodeURIComponent(id)}`, call);
  }

  /** All uploads that match, newest first; pages are read when they are needed. */
  list(filter: UploadFilter = {}): AsyncGenerator<Upload, void, undefined> {
    return eachItem(this.#transport, '/v1/uploads', filter);
  }

  /** Deletes the original and all results, and cancels what runs. */
  async delete(id: string, call?: CallOptions): Promise<void> {
    await this.#transport.send('DELETE', `/v1/uploads/${encodeURIComponent(id)}`, call);
  }

  /** Repeats the analysis of a PDF, with a password if it needs one. */
  async analyze(id: string, password?: string, call?: CallOptions): Promise<void> {
    const json = password === undefined ? {} : { password };
    await this.#transport.send('POST', `/v1/uploads/${encodeURIComponent(id)}/analyze`, { ...call, json });
  }

  /** The changes of an upload and of its enhancements, oldest first. */
  timeline(id: string, options: ListOptions = {}): AsyncGenerator<TimelineEntry, void, undefined> {
    return eachItem(this.#transport, `/v1/uploads/${encodeURIComponent(id)}/timeline`, options);
  }

  /** Events until nothing of the upload runs or waits. Falls back to polling where event streams break. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<UploadEvent, void, undefined> {
    return followUpload(this.#transport, id, options);
  }

  async #createFrom(
    source: { url: string } | BucketSource,
    { signal, idempotencyKey, onProgress: _, ...fields }: SendOptions,
  ) {
    const json = { source, ...fields };
    return await this.#transport.json<UploadWithEnhancements>('POST', '/v1/uploads', { json, signal, idempotencyKey });
  }

  async #createDirectly({ filename, bytes }: FileContent, options: SendOptions) {
    const { enhancements, customMetadata, password, signal, idempotencyKey, onProgress, ...fields } = options;
    const query = {
      ...fields,
      filename,
      enhancements: enhancements && JSON.stringify(enhancements),
      customMetadata: customMetadata && JSON.stringify(customMetadata),
    };
    // The service detects the type by the content.
    const headers = {
      'content-type': 'application/octet-stream',
      ...(password === undefined ? {} : { 'x-pdf-password': encodeURIComponent(password) }),
    };
    const body = { open: () => bytes, once: !(bytes instanceof Blob), onProgress };
    return await this.#transport.json<UploadWithEnhancements>('POST', '/v1/uploads', {
      query,
      headers,
      body,
      signal,
      idempotencyKey,
    });
  }

  #createResumable(filename: string, bytes: Blob, options: FileUploadOptions): Promise<UploadWithEnhancements> {
    const { password, idempotencyKey, signal, onCreated, onProgress, ...fields } = options;
    return sendResumable(this.#transport, bytes, {
      fields: { ...fields, filename },
      password,
      idempotencyKey,
      signal,
      onCreated,
      onProgress,
    });
  }
}
