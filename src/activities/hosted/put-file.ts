import { TRANSFER_MS } from '../../domain/temporal/timeouts.ts';
import { rejected, retryAfter, unavailable } from '../../hosted/call-failure.ts';
import { assertNotDamaged, openOriginal } from '../needed-files.ts';
import type { HostedDeps } from './deps.ts';
import type { Input } from '../inputs/schemas.ts';

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
