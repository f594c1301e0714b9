import { Failure, MEDIA_TYPES } from '@burnish/contract';
import type { HostedId } from '../../database/hosted/hosted-ids.ts';
import { CallFailure, unavailable, rejected, retryAfter } from '../../hosted/call-failure.ts';
import type { HostedDeps } from './deps.ts';
import { withRetention } from './with-retention.ts';
import { toHostedUpload } from './states.ts';
import type { Input } from '../inputs/schemas.ts';
import { TRANSFER_MS } from '../../domain/temporal/timeouts.ts';
import { assertNotDamaged, openOriginal } from '../needed-files.ts';

/** Codes for a URL that the service cannot or will not fetch. The file is then streamed instead. */
const ADDRESS_REFUSED = ['URL_NOT_ALLOWED', 'URL_FETCH_FAILED', 'BAD_USER_INPUT', 'PROVIDER_REJECTED'];

export async function transferUpload(
  deps: HostedDeps,
  job: Input<'placeRemoteUpload'>,
  signal: AbortSignal,
): Promise<string> {
  if (job.url === null) return await transferByStream(deps, job, signal);
  try {
    return await transferByUrl(deps, job, job.url, signal);
  } catch (error) {
    if (!(error instanceof CallFailure) || !ADDRESS_REFUSED.includes(error.code)) throw error;
    return await transferByStream(deps, job, signal);
  }
}

async function transferByUrl(
  deps: HostedDeps,
  job: Input<'placeRemoteUpload'>,
  url: string,
  signal: AbortSignal,
): Promise<string> {
  const earlier = await transferredBefore(deps, job, 'url');
  const known = earlier.find(isTransferred);
  if (known !== undefined) return known.remoteId;
  const idempotencyKey = `${job.source.uploadId}.url`;
  const { id } = await withRetention(deps, readRetention(job), signal, () =>
    deps.hostedApi.createUploadFromUrl(url, { idempotencyKey, signal }),
  );
  await bind(deps, job, id, 'url', true);
  return id;
}

/** Announces, sends and completes the upload. Resumes the progress of an earlier attempt. */
async function transferByStream(
  deps: HostedDeps,
  job: Input<'placeRemoteUpload'>,
  signal: AbortSignal,
): Promise<string> {
  const earlier = await transferredBefore(deps, job, 'stream');
  const [latest] = earlier;
  let spent = earlier.length;
  if (latest !== undefined) {
    const state = isTransferred(latest) ? 'transferred' : await resume(deps, latest.remoteId, signal);
    if (state === 'transferred') return latest.remoteId;
    // Services that support idempotency keys return the same upload for the same key.
    if (state === 'empty') spent -= 1;
  }
  const { uploadId, mimetype } = job.source;
  const input = { filename: `${uploadId}.${MEDIA_TYPES[mimetype].extension}`, filesize: job.size, mimetype };
  const options = { idempotencyKey: `${uploadId}.stream.${spent}`, signal };
  const { uploadId: remoteId, uploadUrl } = await withRetention(deps, readRetention(job), signal, () =>
    deps.hostedApi.createSignedUploadUrl(input, options),
  );
  await bind(deps, job, remoteId, 'stream', false);
  const problem = await putFile(deps, job, uploadUrl, signal);
  try {
    // Completes the upload even after a failed PUT, because its answer may be lost although the file arrived.
    await deps.hostedApi.completeSignedUpload(remoteId, { signal });
  } catch (error) {
    throw problem !== null && error instanceof CallFailure && error.answered ? unavailable(problem) : error;
  }
  await deps.hostedIds.markTransferred(remoteId);
  return remoteId;
}

async function resume({ hostedApi, hostedIds }: HostedDeps, remoteId: string, signal: AbortSignal) {
  try {
    const { file } = toHostedUpload(await hostedApi.upload(remoteId, { signal }));
    if (file === 'failed') return 'dead';
    if (file === 'pending') await hostedApi.completeSignedUpload(remoteId, { signal });
  } catch (error) {
    if (!(error instanceof CallFailure) || error.retryable || !error.answered) throw error;
    return error.code === 'NOT_FOUND' ? 'dead' : 'empty';
  }
  await hostedIds.markTransferred(remoteId);
  return 'transferred';
}

const isTransferred = ({ transferredAt }: HostedId): boolean => transferredAt !== null;

async function transferredBefore({ hostedIds }: HostedDeps, job: Input<'placeRemoteUpload'>, via: HostedId['via']) {
  return (await hostedIds.of('upload', job.source.uploadId)).filter((each) => each.via === via);
}

async function bind(
  { hostedIds }: HostedDeps,
  { accountId, source }: Input<'placeRemoteUpload'>,
  remoteId: string,
  via: 'url' | 'stream',
  transferred: boolean,
): Promise<void> {
  const row = { kind: 'upload' as const, remoteId, subjectId: source.uploadId, accountId, via, transferred };
  if (await hostedIds.bind(row)) return;
  throw new Failure('PROVIDER_REJECTED', { detail: 'The hosted service returned the id of another upload.' });
}

function readRetention({ source, retentionDays }: Input<'placeRemoteUpload'>): { holder: string; days: number } {
  return { holder: source.uploadId, days: retentionDays };
}

/** Storage services answer with a few hundred bytes of XML at most. */
const MAX_ANSWER_BYTES = 100_000;

/**
 * Streams a file from Burnish's storage to the upload URL of the service. The URL is a secret, so no message contains it.
 * @returns null on success, or a sentence when the service's storage refused the file
 * @throws Failure ORIGINAL_MISSING, ORIGINAL_DAMAGED; CallFailure when the URL is unreachable or must not be contacted
 */
export async function putFile(
  { store, safeFetch }: Pick<HostedDeps, 'store' | 'safeFetch'>,
  { source, size }: Input<'placeRemoteUpload'>,
  uploadUrl: string,
  signal: AbortSignal,
): Promise<string | null> {
  const body = await openOriginal(store, source);
  const sent = await safeFetch.exchange(uploadUrl, {
    method: 'PUT',
    body,
    headers: { 'content-type': source.mimetype, 'content-length': String(size) },
    timeoutMs: TRANSFER_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    signal,
  });
  if (sent.kind === 'broken') {
    assertNotDamaged(body, 'ORIGINAL_DAMAGED');
    const { code, message } = sent.failure;
    if (code === 'URL_NOT_ALLOWED') {
      throw rejected(
        `The storage URL of the hosted service is not allowed: ${message} See BURNISH_HOSTED_PRIVATE_HOSTS.`,
      );
    }
    throw unavailable(`The storage of the hosted service cannot be reached: ${message}`);
  }
  const { status, retryAfterMs } = sent;
  if (status >= 200 && status <= 299) return null;
  const detail = `The storage of the hosted service answered with status ${status}.`;
  if (status >= 500 || status === 429 || status === 408) throw unavailable(detail, retryAfter(retryAfterMs));
  return detail;
}
