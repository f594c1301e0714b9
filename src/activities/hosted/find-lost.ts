import { type EnhancementParameters, flattenParameters } from '@burnish/contract';
import { CallFailure } from '../../hosted/call-failure.ts';
import type { ListedEnhancement } from '../../hosted/schemas.ts';
import type { HostedDeps } from './deps.ts';
import { assertOwnHostedUpload } from './ownership.ts';
import type { Input } from '../inputs/schemas.ts';

/** Maximum lag of the service's clock behind the local clock, in milliseconds. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** Maximum number of reads at the service for events that name no upload. */
const MAX_LOOKS = 20;

/**
 * Looks for an enhancement whose id was lost with the answer; see HostedService.findLostEnhancement. If the service lists the
 * enhancements of an upload, the list decides; otherwise its events decide. An id that is bound to another enhancement is never
 * used. One of several candidates is used only if the list reports the parameters of each.
 */
export async function findLost(
  deps: HostedDeps,
  job: Input<'beginRemoteEnhancement'> & { sinceMs: number },
): Promise<string | null> {
  const { hostedIds, hostedSlots, hostedApi } = deps;
  await assertOwnHostedUpload(hostedIds, job);
  await hostedSlots.renew(job.enhancementId);
  const [known] = await hostedIds.of('enhancement', job.enhancementId);
  if (known !== undefined) return known.remoteId;

  const listed = await hostedApi.listEnhancements(job.remoteUploadId).catch(asNoList);
  const found = listed === null ? await fromEvents(deps, job) : await fromList(deps, job, listed);
  for (const remoteId of found) {
    const { enhancementId: subjectId, accountId } = job;
    const row = { kind: 'enhancement' as const, remoteId, subjectId, accountId, via: null, transferred: true };
    if (await hostedIds.bind(row)) return remoteId;
  }
  return null;
}

/** A missing upload or a refused list gives no information. */
function asNoList(error: unknown): null {
  if (error instanceof CallFailure && error.answered && !error.retryable) return null;
  throw error;
}

async function fromList(
  { hostedIds }: HostedDeps,
  { sinceMs, parameters }: Input<'beginRemoteEnhancement'> & { sinceMs: number },
  listed: ListedEnhancement[],
): Promise<string[]> {
  const fitting: ListedEnhancement[] = [];
  for (const each of listed) {
    const created = Date.parse(each.createdAt ?? '');
    if (created < sinceMs - CLOCK_SKEW_MS) continue;
    if (each.parameters && !isSame(flattenParameters(each.parameters), parameters)) continue;
    if ((await hostedIds.find('enhancement', each.id)) === undefined) fitting.push(each);
  }
  // Without their parameters, several candidates are ambiguous; equal ones are interchangeable.
  const toldApart = fitting.length <= 1 || fitting.every((each) => each.parameters);
  return toldApart ? fitting.map(({ id }) => id) : [];
}

async function fromEvents(
  { hostedApi, hostedIds, hostedEvents }: HostedDeps,
  { remoteUploadId, sinceMs }: Input<'beginRemoteEnhancement'> & { sinceMs: number },
): Promise<string[]> {
  const upload = await hostedIds.find('upload', remoteUploadId);
  const candidates = await hostedEvents.unboundEnhancements(remoteUploadId, sinceMs - CLOCK_SKEW_MS);
  const fitting: string[] = [];
  for (const { remoteId, saysUpload } of candidates.slice(0, MAX_LOOKS)) {
    const answer = await hostedApi.enhancedImage(remoteId).catch(asNoList);
    if (answer === null) continue;
    // A transferred file has the upload's id as its name, and the service names results after it.
    const named = upload !== undefined && (answer.filename ?? '').includes(upload.subjectId);
    const belongs = saysUpload || named || answer.uploadId === remoteUploadId;
    if (belongs && (answer.uploadId ?? remoteUploadId) === remoteUploadId) fitting.push(answer.id);
  }
  return fitting.length === 1 ? fitting : [];
}

/** Compares parameters in the forms that the service may return: numbers as text, and absent values as empty. */
function isSame(reported: object, asked: EnhancementParameters): boolean {
  const given = asked as Record<string, unknown>;
  return Object.entries(reported).every(([name, value]) => toComparableText(value) === toComparableText(given[name]));
}

function toComparableText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([name, each]) => `${name}=${toComparableText(each)}`);
    return entries
      .filter((entry) => !entry.endsWith('='))
      .sort()
      .join('&');
  }
  const text = String(value);
  return text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}
