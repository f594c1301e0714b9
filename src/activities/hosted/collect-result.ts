import { type EnhancementResult, Failure, mediaKind, type MediaKind, type MediaType } from '@burnish/contract';
import { TRANSFER_MS } from '../../domain/temporal/timeouts.ts';
import { resultFilename } from '../../domain/upload/filenames.ts';
import { rejected, unavailable } from '../../hosted/call-failure.ts';
import type { StoredObject } from '../../storage/object-store.ts';
import { openBody, wholeBody } from '../../storage/receive-file.ts';
import type { Watch } from '../heartbeat.ts';
import type { HostedDeps } from './deps.ts';
import { assertOwnHostedResult } from './ownership.ts';
import { toHostedEnhancement } from './states.ts';
import type { Input } from '../inputs/schemas.ts';

/** Bounds for an uncompressed image with the maximum number of pixels, and for a PDF with enlarged images. */
const MAX_BYTES: Record<MediaKind, number> = { image: 1_000_000_000, pdf: 3_000_000_000 };
/** Length of the file's end that contains the cross-reference offset of a complete PDF. */
const TAIL_BYTES = 2048;

/**
 * Downloads a finished result into Burnish's storage; see HostedService.collectRemoteResult. Checks the result before any user
 * can read it. A truncated or damaged body is downloaded again.
 */
export async function collectResult(
  deps: HostedDeps,
  job: Input<'collectRemoteResult'>,
  watch: Watch,
): Promise<EnhancementResult> {
  const { hostedApi, hostedIds, store, hostedSlots } = deps;
  const { source, resultKey } = job;
  await assertOwnHostedResult(hostedIds, job);
  await hostedSlots.renew(job.enhancementId);
  const answer = await hostedApi.enhancedImage(job.remoteEnhancementId, true);
  if (toHostedEnhancement(answer).status !== 'finished' || !answer.fullUrl) {
    throw unavailable('The hosted service has not returned the result yet.', { answered: true });
  }
  const { stored, mimetype } = await download(deps, job, answer.fullUrl, watch);
  try {
    const looks = await check(deps, job, stored, mimetype, watch);
    const { size, sha256 } = stored;
    const filename = resultFilename(source.originalFilename, mimetype);
    return {
      objectKey: resultKey,
      size,
      originalSize: source.size,
      sha256,
      mimetype,
      filename,
      ...looks,
    };
  } catch (error) {
    await store.delete(resultKey);
    throw error;
  }
}

async function download(
  { store, detect, safeFetch }: HostedDeps,
  { source, resultKey }: Input<'collectRemoteResult'>,
  fullUrl: string,
  { signal }: Watch,
): Promise<{ stored: StoredObject; mimetype: MediaType }> {
  const kind = mediaKind(source.mimetype);
  const limits = { maxBytes: MAX_BYTES[kind], timeoutMs: TRANSFER_MS, signal };
  let body: AsyncIterator<Uint8Array> | undefined;
  try {
    body = (await safeFetch.download(fullUrl, limits)).body[Symbol.asyncIterator]();
    const opened = await openBody(body);
    const mimetype = await detect(opened.head);
    if (mimetype === undefined || mediaKind(mimetype) !== kind) throw bad('is not of the kind that was asked for');
    const stored = await store.put(resultKey, wholeBody(opened), { maxBytes: limits.maxBytes, signal });
    return { stored, mimetype };
  } catch (error) {
    throw asProviderFailure(error);
  } finally {
    await body?.return?.();
  }
}

async function check(
  { store, inspector }: HostedDeps,
  { source, resultKey }: Input<'collectRemoteResult'>,
  { size, sha256 }: StoredObject,
  mimetype: MediaType,
  watch: Watch,
): Promise<Pick<EnhancementResult, 'width' | 'height'>> {
  if (mediaKind(mimetype) === 'pdf') {
    const tail = await store.get(resultKey, { start: Math.max(0, size - TAIL_BYTES), end: size });
    const text = Buffer.concat(await tail.toArray()).toString('latin1');
    if (!text.includes('startxref') || !text.includes('%%EOF')) throw bad('is cut off');
    return { width: 0, height: 0 };
  }
  try {
    const { width, height } = await inspector.inspect(
      { ...source, objectKey: resultKey, mimetype, size, sha256 },
      watch,
    );
    return { width, height };
  } catch (error) {
    if (error instanceof Failure && error.code === 'CORRUPT_FILE') throw bad('is damaged');
    throw error;
  }
}

function bad(what: string): Failure {
  return unavailable(`The result of the hosted service ${what}. Burnish downloads it again.`, { answered: true });
}

/** A forbidden URL stays forbidden. The other failures may succeed with a new URL. */
function asProviderFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  if (error.code === 'URL_NOT_ALLOWED') {
    return rejected(
      `The URL of the result at the hosted service is not allowed: ${error.message} See BURNISH_HOSTED_PRIVATE_HOSTS.`,
    );
  }
  if (error.code === 'FILE_TOO_LARGE') return rejected('The result of the hosted service is larger than the limit.');
  if (error.code === 'URL_FETCH_FAILED') return unavailable(`The download of the result failed: ${error.message}`);
  return error;
}
