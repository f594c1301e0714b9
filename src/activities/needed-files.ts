import type { Readable } from 'node:stream';
import { ApplicationFailure } from '@temporalio/common';
import { Failure, type FailureCode, type EnhancementResult } from '@burnish/contract';
import { planDigestIn } from '../domain/files/object-keys.ts';
import { PLAN_OUTDATED } from '../domain/temporal/workflow-interface.ts';
import { ObjectDamaged, type ExpectedBytes } from '../storage/integrity.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { SourceFile } from './inputs/schemas.ts';

type Files = Pick<ObjectStore, 'withLocalFile'>;

/** Original of an upload, with the bytes that it must have */
export type Original = Pick<SourceFile, 'objectKey' | 'size' | 'sha256'>;

/** Seconds between two attempts on damaged bytes. Five attempts take a minute, in which a bad read or a disk array may recover. */
const DAMAGE_RETRY_SECONDS = 15;

/** Codes of an object that is gone, and of one with other bytes than those of its record. */
interface Codes {
  missing: FailureCode;
  damaged: () => Error;
}

const retried = { retryable: true, retryAfterSeconds: DAMAGE_RETRY_SECONDS };

const ORIGINAL: Codes = { missing: 'ORIGINAL_MISSING', damaged: () => new Failure('ORIGINAL_DAMAGED', retried) };
/** Transfers to the hosted service are retried for as long as the service may be away. */
const SENT_ORIGINAL: Codes = { missing: 'ORIGINAL_MISSING', damaged: () => new Failure('ORIGINAL_DAMAGED') };
// The file of the caller is not at fault.
const RESULT: Codes = { missing: 'INTERNAL', damaged: () => new Failure('RESULT_DAMAGED', retried) };
const WORK: Codes = {
  missing: 'INTERNAL',
  // The workflow deletes the plan with its files, and begins anew.
  damaged: () =>
    ApplicationFailure.create({
      type: PLAN_OUTDATED,
      message: 'An intermediate file is damaged in storage.',
      nonRetryable: true,
    }),
};

/**
 * Runs work with a local path to the original of an upload, once its bytes are those of the record.
 * @throws Failure ORIGINAL_MISSING when storage is there and the original is gone; ORIGINAL_DAMAGED, which a retry within a minute
 * may mend
 */
export const withOriginal = <T>(store: Files, original: Original, use: (path: string) => Promise<T>): Promise<T> =>
  withNeeded(store, original.objectKey, original, ORIGINAL, use);

/**
 * The bytes of an original, for a transfer to the hosted service. Those of a long file may end early, see `assertNotDamaged`.
 * @throws Failure ORIGINAL_MISSING, ORIGINAL_DAMAGED
 */
export const openOriginal = (store: Pick<ObjectStore, 'get'>, original: Original): Promise<Readable> =>
  openNeeded(store, original.objectKey, original, SENT_ORIGINAL);

/**
 * Runs work with a local path to a result.
 * @throws Failure INTERNAL when storage is there and the file is gone; RESULT_DAMAGED
 */
export const withResult = <T>(store: Files, result: EnhancementResult, use: (path: string) => Promise<T>): Promise<T> =>
  withNeeded(store, result.objectKey, result, RESULT, use);

/** The bytes of a result, for a transfer, as those of `openOriginal`. @throws Failure INTERNAL, RESULT_DAMAGED */
export const openResult = (store: Pick<ObjectStore, 'get'>, result: EnhancementResult): Promise<Readable> =>
  openNeeded(store, result.objectKey, result, RESULT);

/**
 * Runs work with a local path to an intermediate file of a result. The key of a plan names the digest of its bytes; a service of
 * objects compares each file with the hash that it keeps.
 * @throws Failure INTERNAL when storage is there and the file is gone; ApplicationFailure PLAN_OUTDATED for a damaged file
 */
export const withWorkFile = <T>(store: Files, key: string, use: (path: string) => Promise<T>): Promise<T> => {
  const digest = planDigestIn(key);
  return withNeeded(store, key, digest === undefined ? undefined : { sha256: digest }, WORK, use);
};

/**
 * Tells a transfer that broke because its bytes are damaged from one that the other side broke.
 * @throws Failure with the code
 */
export function assertNotDamaged(body: Readable, code: 'ORIGINAL_DAMAGED' | 'RESULT_DAMAGED'): void {
  if (body.errored instanceof ObjectDamaged) throw new Failure(code);
}

async function withNeeded<T>(
  store: Files,
  key: string,
  expected: ExpectedBytes | undefined,
  codes: Codes,
  use: (path: string) => Promise<T>,
): Promise<T> {
  let isThere = false;
  try {
    return await store.withLocalFile(
      key,
      (path) => {
        isThere = true;
        return use(path);
      },
      expected,
    );
  } catch (error) {
    if (isThere) throw error;
    throw asNamed(error, codes);
  }
}

const openNeeded = (
  store: Pick<ObjectStore, 'get'>,
  key: string,
  expected: ExpectedBytes | undefined,
  codes: Codes,
): Promise<Readable> =>
  store.get(key, undefined, expected).catch((error: unknown) => {
    throw asNamed(error, codes);
  });

/** Converts the failure of a missing or damaged object; returns every other error unchanged. */
function asNamed(error: unknown, { missing, damaged }: Codes): unknown {
  if (error instanceof ObjectDamaged) return damaged();
  return error instanceof Failure && error.code === 'NOT_FOUND' ? new Failure(missing, { cause: error }) : error;
}
