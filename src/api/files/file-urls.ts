import type { Enhancement, StoredFile, Upload } from '@burnish/contract';
import { fileExpiryAt } from '../../domain/files/signing-key.ts';
import { ownsKey } from '../../domain/files/object-keys.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import { downloadFilename } from '../../domain/upload/filenames.ts';
import type { WorkersAway } from '../health/workers-watch.ts';

/** Parts of a representation that are not in the record: signed URLs of files, made at each read, and workers that are missing or may have lost the work. */
export interface FileUrls {
  /** Logs a record that cannot be represented, once */
  noteUnreadable(id: string, error: unknown): void;
  /** Workers that are missing, or may have lost work of this time. @param createdAt ISO 8601 */
  workersAway(createdAt: string): WorkersAway;
  ofOriginal(upload: Upload): string | null;
  ofResult(enhancement: Enhancement): string | null;
}

/** What a token says about the bytes. */
type FileFacts = Pick<StoredFile, 'mimetype' | 'size' | 'sha256'>;

const NOBODY_AWAY: WorkersAway = { main: false, engine: false };
const ALL_AWAY: WorkersAway = { main: true, engine: true };

/** Ids of unreadable records that a process remembers, so that it logs each once. */
const REMEMBERED = 1_000;

/**
 * Signed URLs of files under `/files`, the same for an hour (`fileExpiryAt`). They carry size and hash of the record. A record that names a file of another upload gets none. The path contains
 * the file name, so that a download without headers has a good name.
 * @param deps.publicUrl base URL of the gateway for callers, without a trailing slash
 */
export function createFileUrls(deps: {
  signer: UrlSigner;
  publicUrl: string;
  now: () => number;
  workersAway?: () => WorkersAway;
  mayBeBehind?: (createdAt: string) => boolean;
  log?: { error(facts: object, message: string): void };
}): FileUrls {
  const noted = new Set<string>();
  const signedUrl = (id: string, filename: string, key: string, file: FileFacts, since: string): string => {
    const { mimetype: type, size, sha256 } = file;
    return (
      deps.publicUrl +
      deps.signer.sign(
        `/files/${id}/${encodeURIComponent(downloadFilename(filename, type))}`,
        { key, type, size, sha256, at: Date.parse(since) },
        fileExpiryAt(Date.parse(since), deps.now()),
      )
    );
  };

  return {
    workersAway: (createdAt) =>
      deps.mayBeBehind?.(createdAt) === true ? ALL_AWAY : (deps.workersAway?.() ?? NOBODY_AWAY),
    noteUnreadable(id, error) {
      if (noted.has(id) || noted.size >= REMEMBERED) return;
      noted.add(id);
      deps.log?.error({ err: error, id }, 'a record cannot be read; lists show it as unreadable');
    },
    ofOriginal: ({ id, accountId, objectKey, file, originalFilename, status, createdAt, finishedAt }) =>
      objectKey === null ||
      file === null ||
      status === 'UPLOAD_DELETED' ||
      !ownsKey({ accountId, uploadId: id }, objectKey)
        ? null
        : signedUrl(id, originalFilename, objectKey, file, finishedAt ?? createdAt),
    ofResult: ({ id, accountId, uploadId, status, result, createdAt, finishedAt }) =>
      status === 'FINISHED' && result !== null && ownsKey({ accountId, uploadId }, result.objectKey)
        ? signedUrl(id, result.filename, result.objectKey, result, finishedAt ?? createdAt)
        : null,
  };
}
