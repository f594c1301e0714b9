import { CallFailure } from '../../hosted/call-failure.ts';
import type { ListedEnhancement } from '../../hosted/schemas.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { HostedDeps } from './deps.ts';
import type { HostedEnhancementJob } from './hosted-service.ts';
import { assertOwnHostedUpload } from './ownership.ts';

/** The service's clock may go before ours by this much, milliseconds. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** Looks at the service itself, for events that do not say where they belong. */
const MAX_LOOKS = 20;

/**
 * Looks for an enhancement whose id was lost with the answer; see HostedService.findLostEnhancement. Where the service
 * lists the enhancements of an upload, the list has the say; else its events do. One that is bound to another of ours is
 * never taken, and one of several candidates is used only if their parameters differ.
 */
export async function findLost(
  deps: HostedDeps,
  job: HostedEnhancementJob & { sinceMs: number },
): Promise<string | null> {
  const { hostedIds, hostedSlots, hostedApi } = deps;
  await assertOwnHostedUpload(hostedIds, job);
  await hostedSlots.renew(job.enhancementId);
  const [known] = await hostedIds.of('enhancement', job.enhancementId);
  if (known !== undefined) return known.remoteId;

  const listed = await hostedApi.enhancementsOf(job.remoteUploadId).catch(asNoList);
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
  { sinceMs, parameters }: HostedEnhancementJob & { sinceMs: number },
  listed: ListedEnhancement[],
): Promise<string[]> {
  const fitting: ListedEnhancement[] = [];
  for (const each of listed) {
    const created = Date.parse(each.createdAt ?? '');
    if (created < sinceMs - CLOCK_SKEW_MS) continue;
    if (each.parameters && !isSame(each.parameters, parameters)) continue;
    if ((await hostedIds.find('enhancement', each.id)) === undefined) fitting.push(each);
  }
  // Without their parameters, several candidates are ambiguous; equal ones are interchangeable.
  const toldApart = fitting.length <= 1 || fitting.every((each) => each.parameters);
  return toldApart ? fitting.map(({ id }) => id) : [];
}

async function fromEvents(
  { hostedApi, hostedIds, hostedEvents }: HostedDeps,
  { remoteUploadId, sinceMs }: HostedEnhancementJob & { sinceMs: number },
): Promise<string[]> {
  const upload = await hostedIds.find('upload', remoteUploadId);
  const candidates = await hostedEvents.unboundEnhancements(remoteUploadId, sinceMs - CLOCK_SKEW_MS);
  const fitting: string[] = [];
  for (const { remoteId, saysUpload } of candidates.slice(0, MAX_LOOKS)) {
    const answer = await hostedApi.enhancedImage(remoteId).catch(asNoList);
    if (answer === null) continue;
    // Files that we sent carry our own id as their name, and results are named after them.
    const named = upload !== undefined && (answer.filename ?? '').includes(upload.subjectId);
    const belongs = saysUpload || named || answer.uploadId === remoteUploadId;
    if (belongs && (answer.uploadId ?? remoteUploadId) === remoteUploadId) fitting.push(answer.id);
  }
  return fitting.length === 1 ? fitting : [];
}

/** Compared as the service may give them back: numbers as text, and nothing where nothing was said. */
export function isSame(reported: Record<string, unknown>, asked: EnhancementParameters): boolean {
  const given = asked as Record<string, unknown>;
  return Object.keys(reported).every((name) => textOf(reported[name]) === textOf(given[name]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([name, each]) => `${name}=${textOf(each)}`);
    return entries
      .filter((entry) => !entry.endsWith('='))
      .sort()
      .join('&');
  }
  const text = String(value);
  return text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}
