import { finalKey, Failure } from '@burnish/contract';
import type { DestinationUrls } from '../database/uploads/destination-urls.ts';
import { cancellationSignal } from '@temporalio/activity';
import { toDestinationMs } from '../domain/temporal/timeouts.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { openRegisteredBucket, type RegisteredBuckets } from '../storage/open-registered-bucket.ts';
import type { Input } from './inputs/schemas.ts';
import { assertNotDamaged, openResult, withResult } from './needed-files.ts';

export interface DestinationDeps extends RegisteredBuckets {
  store: Pick<ObjectStore, 'get' | 'withLocalFile'>;
  safeFetch: Pick<SafeFetch, 'put'>;
  destinationUrls: Pick<DestinationUrls, 'get'>;
}

type Work = Input<'writeToDestination'>;

/** Bytes of an answer that are read. Only its status matters. */
const MAX_ANSWER_BYTES = 1_000;

/**
 * Writes a result to its destination. A repetition writes the same bytes to the same place.
 * @returns the key in the bucket; null for a URL
 * @throws Failure DESTINATION_UNAVAILABLE while the other side is away; DESTINATION_REFUSED
 */
export type WriteToDestination = (work: Work) => Promise<{ key: string | null }>;

export function createDestinationWriter(deps: DestinationDeps): WriteToDestination {
  return async (work) => {
    const { bucket, key } = work.destination;
    if (bucket === null || key === null) return putToUrl(deps, work, cancellationSignal());
    return writeToBucket(deps, work, { bucket, key }, cancellationSignal());
  };
}

async function putToUrl(
  { store, safeFetch, destinationUrls }: DestinationDeps,
  { enhancementId, result }: Work,
  signal: AbortSignal,
): Promise<{ key: null }> {
  const url = await destinationUrls.get(enhancementId);
  if (url === undefined)
    throw new Failure('DESTINATION_REFUSED', { detail: 'The address of the destination is lost.' });
  const body = await openResult(store, result);
  let status: number;
  try {
    ({ status } = await safeFetch.put(url, {
      body,
      headers: {
        'content-type': result.mimetype,
        'content-length': String(result.size),
        ...(isSignedByAzure(url) && AZURE_HEADERS),
      },
      timeoutMs: toDestinationMs(result.size),
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal,
    }));
  } catch (error) {
    assertNotDamaged(body, 'RESULT_DAMAGED');
    throw asDestinationFailure(error);
  }
  if (status >= 200 && status <= 299) return { key: null };
  const isAway = status >= 500 || status === 408 || status === 425 || status === 429;
  if (isAway) throw away(`The destination answered with status ${status}.`);
  const hint = status === 403 ? ' The address may have expired.' : '';
  throw new Failure('DESTINATION_REFUSED', { detail: `The destination answered with status ${status}.${hint}` });
}

/** Azure Blob Storage refuses a PUT without this header. Other services may refuse a header that the URL does not sign. */
const AZURE_HEADERS = { 'x-ms-blob-type': 'BlockBlob' };

function isSignedByAzure(url: string): boolean {
  const { searchParams } = new URL(url);
  return searchParams.has('sv') && searchParams.has('sig');
}

async function writeToBucket(
  { store, ...registered }: DestinationDeps,
  { accountId, result }: Work,
  { bucket: name, key }: { bucket: string; key: string },
  signal: AbortSignal,
): Promise<{ key: string }> {
  const written = finalKey(key, result.filename);
  const bucket = await openRegisteredBucket(registered, accountId, name).catch((error: unknown) => {
    throw asDestinationFailure(error);
  });
  const { size, sha256, mimetype: type } = result;
  try {
    await withResult(store, result, (path) =>
      bucket.write(written, { path, size, sha256, type, signal }).catch((error: unknown) => {
        throw asDestinationFailure(error);
      }),
    );
    return { key: written };
  } finally {
    bucket.close();
  }
}

/** Not retried by the activity: the workflow waits, and says so. */
const away = (detail: string): Failure => new Failure('DESTINATION_UNAVAILABLE', { detail, retryable: false });

/** Converts a failure of the other side. Its sentence contains neither URL nor answer. */
function asDestinationFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, message, retryable, machinery } = error;
  if (code === 'UNAVAILABLE' && machinery === 'bucket') return away(message);
  if (code === 'URL_FETCH_FAILED' && retryable) return away(message);
  if (code === 'URL_FETCH_FAILED' || code === 'URL_NOT_ALLOWED' || code === 'BUCKET_REFUSED')
    return new Failure('DESTINATION_REFUSED', { detail: message });
  return error;
}
