import type { RemoteId } from '../../database/hosted/hosted-ids.ts';
import { Failure } from '../../domain/failures.ts';
import { MEDIA_TYPES } from '../../domain/upload/media.ts';
import { CallFailure, unavailable } from '../../hosted/call-failure.ts';
import type { HostedDeps } from './deps.ts';
import type { RemoteUploadJob } from './hosted-service.ts';
import { putFile } from './put-file.ts';
import { withRetention } from './retention-turn.ts';
import { remoteUploadOf } from './states.ts';

/** What a service says of an address that it cannot or will not fetch; the file is then sent there. */
const ADDRESS_REFUSED = ['URL_NOT_ALLOWED', 'URL_FETCH_FAILED', 'BAD_USER_INPUT', 'PROVIDER_REJECTED'];

/** Brings a file to the service; see HostedService.placeRemoteUpload. */
export async function placeUpload(deps: HostedDeps, job: RemoteUploadJob, signal: AbortSignal): Promise<string> {
  if (job.url === null) return await placeByStream(deps, job, signal);
  try {
    return await placeByUrl(deps, job, job.url, signal);
  } catch (error) {
    if (!(error instanceof CallFailure) || !ADDRESS_REFUSED.includes(error.code)) throw error;
    return await placeByStream(deps, job, signal);
  }
}

async function placeByUrl(deps: HostedDeps, job: RemoteUploadJob, url: string, signal: AbortSignal): Promise<string> {
  const earlier = await placedBefore(deps, job, 'url');
  const known = earlier.find(isPlaced);
  if (known !== undefined) return known.remoteId;
  const idempotencyKey = `${job.source.uploadId}.url`;
  const { id } = await withRetention(deps, retentionOf(job), signal, () =>
    deps.remote.createUploadFromUrl(url, { idempotencyKey, signal }),
  );
  await bind(deps, job, id, 'url', true);
  return id;
}

/** Announce, send, complete. What an earlier attempt came to is taken up again. */
async function placeByStream(deps: HostedDeps, job: RemoteUploadJob, signal: AbortSignal): Promise<string> {
  const earlier = await placedBefore(deps, job, 'stream');
  const [latest] = earlier;
  let spent = earlier.length;
  if (latest !== undefined) {
    const state = isPlaced(latest) ? 'placed' : await resume(deps, latest.remoteId, signal);
    if (state === 'placed') return latest.remoteId;
    // The same key is answered with the same upload, by services that know it.
    if (state === 'empty') spent -= 1;
  }
  const { uploadId, mimetype } = job.source;
  const input = { filename: `${uploadId}.${MEDIA_TYPES[mimetype].extension}`, filesize: job.size, mimetype };
  const options = { idempotencyKey: `${uploadId}.stream.${spent}`, signal };
  const { uploadId: remoteId, uploadUrl } = await withRetention(deps, retentionOf(job), signal, () =>
    deps.remote.createSignedUploadUrl(input, options),
  );
  await bind(deps, job, remoteId, 'stream', false);
  const problem = await putFile(deps, job, uploadUrl, signal);
  try {
    // Also when the answer to the PUT was no success: it may have been lost, and the file be there.
    await deps.remote.completeSignedUpload(remoteId, { signal });
  } catch (error) {
    throw problem !== null && error instanceof CallFailure && error.answered ? unavailable(problem) : error;
  }
  await deps.remoteIds.markPlaced(remoteId);
  return remoteId;
}

/** An upload that was announced and whose progress is unknown. */
async function resume({ remote, remoteIds }: HostedDeps, remoteId: string, signal: AbortSignal) {
  try {
    const { file } = remoteUploadOf(await remote.upload(remoteId, { signal }));
    if (file === 'failed') return 'dead';
    if (file === 'pending') await remote.completeSignedUpload(remoteId, { signal });
  } catch (error) {
    if (!(error instanceof CallFailure) || error.retryable || !error.answered) throw error;
    return error.code === 'NOT_FOUND' ? 'dead' : 'empty';
  }
  await remoteIds.markPlaced(remoteId);
  return 'placed';
}

const isPlaced = ({ placedAt }: RemoteId): boolean => placedAt !== null;

async function placedBefore({ remoteIds }: HostedDeps, job: RemoteUploadJob, via: RemoteId['via']) {
  return (await remoteIds.of('upload', job.source.uploadId)).filter((each) => each.via === via);
}

async function bind(
  { remoteIds }: HostedDeps,
  { accountId, source }: RemoteUploadJob,
  remoteId: string,
  via: 'url' | 'stream',
  placed: boolean,
): Promise<void> {
  const row = { kind: 'upload' as const, remoteId, subjectId: source.uploadId, accountId, via, placed };
  if (await remoteIds.bind(row)) return;
  throw new Failure('PROVIDER_REJECTED', { detail: 'The hosted service gave the id of another upload.' });
}

function retentionOf({ source, retentionDays }: RemoteUploadJob): { holder: string; days: number } {
  return { holder: source.uploadId, days: retentionDays };
}
