import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '@burnish/contract';
import type { StoredFileRecord, StoredFiles } from '../../database/uploads/stored-files.ts';
import { matches } from '../../storage/integrity.ts';
import { StorageUnmarked } from '../../storage/marked-storage.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { StorageTrouble } from '../../storage/storage-trouble.ts';

export interface StorageCheckOrder {
  /** Where the previous step ended; absent: at the oldest upload */
  after?: string | undefined;
  /** Maximum reading rate in bytes a second */
  bytesPerSecond: number;
}

/** A file that storage lacks, that has other bytes than its record, or that cannot be read. */
export interface StorageProblem extends StoredFileRecord {
  problem: 'damaged' | 'missing' | 'unreadable';
}

export interface StorageCheckStep {
  files: number;
  bytes: number;
  problems: StorageProblem[];
  /** Where the next step begins; null: the check is complete */
  next: string | null;
}

export interface StorageCheckDeps {
  storedFiles: StoredFiles;
  /** Storage with the marker of the instance, so that storage that is away is not a thousand missing files */
  openStore: () => Promise<Pick<ObjectStore, 'get'>>;
}

/** Milliseconds after which a step ends with its current file. */
const STEP_MS = 5_000;
/** Number of uploads that one statement reads. */
const UPLOADS = 50;
/** Shortest pause of a reader that is ahead of its rate, milliseconds. */
const PAUSE_MS = 20;

/** Reads every original and every result, for `burnish storage check`. */
export function createStorageCheck({ storedFiles, openStore }: StorageCheckDeps) {
  return {
    /** Reads files for some seconds and compares them with their records. @throws Failure UNAVAILABLE while storage does not carry the marker */
    async checkStorage({ after, bytesPerSecond }: StorageCheckOrder): Promise<StorageCheckStep> {
      const store = await openStore();
      const reader = createReader(store, bytesPerSecond);
      const endMs = performance.now() + STEP_MS;
      const step: StorageCheckStep = { files: 0, bytes: 0, problems: [], next: after ?? null };
      for (;;) {
        const { uploadIds, files } = await storedFiles.list(step.next?.split('/')[0], UPLOADS);
        const done = step.next;
        for (const file of files) {
          const place = `${file.uploadId}/${file.enhancementId ?? ''}`;
          if (done !== null && place <= done) continue;
          const problem = await reader.look(file);
          if (problem !== undefined && (await storedFiles.isExpected(file))) step.problems.push({ ...file, problem });
          step.files += 1;
          step.bytes = reader.bytes();
          step.next = place;
          if (performance.now() >= endMs) return step;
        }
        if (uploadIds.length < UPLOADS) return { ...step, next: null };
        // After every place of the last upload.
        step.next = `${uploadIds.at(-1)}/~`;
      }
    },
  };
}

function createReader(store: Pick<ObjectStore, 'get'>, bytesPerSecond: number) {
  const startMs = performance.now();
  let bytes = 0;

  async function hash(key: string): Promise<{ size: number; sha256: string }> {
    const sha = createHash('sha256');
    let size = 0;
    for await (const chunk of await store.get(key)) {
      const { byteLength } = chunk as Buffer;
      sha.update(chunk as Buffer);
      size += byteLength;
      bytes += byteLength;
      const aheadMs = startMs + (bytes / bytesPerSecond) * 1_000 - performance.now();
      if (aheadMs >= PAUSE_MS) await pause(aheadMs);
    }
    return { size, sha256: sha.digest('hex') };
  }

  return {
    bytes: () => bytes,
    /** Looks twice before it calls a file damaged. */
    async look(file: StoredFileRecord): Promise<StorageProblem['problem'] | undefined> {
      try {
        if (matches(file, await hash(file.objectKey))) return undefined;
        return matches(file, await hash(file.objectKey)) ? undefined : 'damaged';
      } catch (error) {
        if (error instanceof StorageUnmarked)
          throw new Failure('UNAVAILABLE', { detail: error.problem, machinery: 'storage', cause: error });
        if (error instanceof Failure && error.code === 'NOT_FOUND') return 'missing';
        // Errors of a stream do not pass through the store.
        if (error instanceof StorageTrouble || (error instanceof Error && 'code' in error)) return 'unreadable';
        throw error;
      }
    },
  };
}
