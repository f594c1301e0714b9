import { join } from 'node:path';
import { sanitizeFilename } from '../../domain/upload/media.ts';
import type { CreditsRepresentation } from '../../domain/representations/account.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import type { UploadWithEnhancementsRepresentation } from '../../domain/representations/upload.ts';
import { callJson, type Instance } from './call.ts';
import { ClientError } from './client-error.ts';
import { downloadFile } from './download-file.ts';
import { uploadFile, type UploadFileOptions } from './upload-file.ts';
import { watchUpload, type UploadEvent, type WatchOptions } from './watch-upload.ts';

export interface SaveOptions {
  folder: string;
  /** Whether a file at this path may be replaced; otherwise the next free name is used */
  overwrite?: (path: string) => boolean;
  signal?: AbortSignal | undefined;
}

/** The REST interface of an instance, as far as the command line needs it. All methods throw ClientError. */
export interface Client {
  baseUrl: string;
  upload(path: string, options: UploadFileOptions): Promise<UploadWithEnhancementsRepresentation>;
  getUpload(id: string): Promise<UploadWithEnhancementsRepresentation>;
  getEnhancement(id: string): Promise<EnhancementRepresentation>;
  cancelEnhancement(id: string, signal?: AbortSignal): Promise<void>;
  credits(): Promise<CreditsRepresentation>;
  /** Events until nothing of the upload runs or waits any more */
  watch(uploadId: string, options?: WatchOptions): AsyncGenerator<UploadEvent, void, undefined>;
  /** Writes the result of a finished enhancement into a folder that exists; returns its path. */
  save(enhancementId: string, options: SaveOptions): Promise<string>;
}

export function createClient(given: Instance): Client {
  const instance = { ...given, baseUrl: given.baseUrl.replace(/\/+$/, '') };
  const getEnhancement = (id: string): Promise<EnhancementRepresentation> =>
    callJson(instance, `/v1/enhancements/${encodeURIComponent(id)}`);
  return {
    baseUrl: instance.baseUrl,
    upload: (path, options) => uploadFile(instance, path, options),
    getUpload: (id) => callJson(instance, `/v1/uploads/${encodeURIComponent(id)}`),
    getEnhancement,
    async cancelEnhancement(id, signal) {
      await callJson(instance, `/v1/enhancements/${encodeURIComponent(id)}/cancel`, { method: 'POST', signal });
    },
    credits: () => callJson(instance, '/v1/credits'),
    watch: (uploadId, options) => watchUpload(instance, uploadId, options),
    async save(id, { folder, overwrite, signal }) {
      // Read afresh, since the address is signed for a time.
      const { fullUrl, filename, filesize } = await getEnhancement(id);
      const name = filename === null ? undefined : sanitizeFilename(filename);
      if (fullUrl === null || filesize === null || name === undefined)
        throw new ClientError('The result has been deleted.');
      const path = join(folder, name);
      return await downloadFile(fullUrl, path, { size: filesize, overwrite: overwrite?.(path) ?? false, signal });
    },
  };
}
