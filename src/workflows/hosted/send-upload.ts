import type { HostedUpload } from '../../activities/hosted/hosted-service.ts';
import { Failure } from '../../domain/failures.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { hostedCalls, type HostedCalls } from './calls.ts';
import { hostedFailure } from '../step-failures.ts';
import { awaitHosted } from './wait.ts';
import { withFallback } from './fallback.ts';
import type { UploadContext } from '../upload/context.ts';
import { sourceFileOf } from '../upload/upload-state.ts';

/** A service takes seconds to fetch and check a file; one that says nothing for this long has lost it. */
const READY_WITHIN_MS = 3_600_000;

/**
 * Brings a received file to the hosted service: by its address where it came from one, else from our storage. When the
 * service stays away and the policy says so, the local engine takes the upload over.
 * @throws Failure PROVIDER_UNAVAILABLE, PROVIDER_REJECTED, or what the service says of the file
 */
export function sendToHosted(context: UploadContext, policy: HostedPolicy): Promise<void> {
  return withFallback(
    policy,
    () => send(context, hostedCalls(policy, context.tracker.state.originalFilename)),
    () => fallBack(context),
  );
}

async function send(context: UploadContext, calls: HostedCalls): Promise<void> {
  const { source } = context;
  // Checks before the transfer of a file whether the service is available and accepts our key.
  await calls.readRemoteCredits();
  const fetched = source.kind === 'url' ? await sendFrom(source.url, context, calls) : undefined;
  const answer = fetched ?? (await sendFrom(null, context, calls));
  if (answer === undefined) throw new Failure('PROVIDER_UNAVAILABLE', { detail: 'The hosted service lost the file.' });
  if (answer.file === 'failed') throw hostedFailure(answer.errorCode, 'take the file');
}

/** From here on the upload is one of the local engine's. */
export async function fallBack({ tracker }: Pick<UploadContext, 'tracker'>): Promise<void> {
  await tracker.move({ provider: 'local' }, 'The hosted service is not available: the local engine takes over.');
}

/** @returns what the service says of the file; undefined when, from this address, it did not get the file that we have */
async function sendFrom(
  url: string | null,
  context: UploadContext,
  calls: HostedCalls,
): Promise<HostedUpload | undefined> {
  const { tracker, hostedEvents } = context;
  const { state } = tracker;
  const size = state.file?.size ?? 0;
  const { accountId, retentionDays } = state;
  const { remoteUploadId } = await calls.placeRemoteUpload({
    accountId,
    source: sourceFileOf(state),
    size,
    url,
    retentionDays,
  });
  await tracker.move({ remoteId: remoteUploadId }, `The hosted service knows the file as ${remoteUploadId}.`);
  const answer = await awaitHosted({
    read: () => calls.readRemoteUpload({ remoteUploadId }),
    settled: ({ file }) => file !== 'pending',
    wakeUps: hostedEvents,
    withinMs: READY_WITHIN_MS,
    summary: 'hosted service takes the file',
  });
  if (url === null) return answer;
  // The address may be closed to the service, or have given it other bytes than it gave us.
  const same = answer?.file === 'ready' && (answer.size === null || answer.size === size);
  if (same) return answer;
  await calls.deleteRemoteUpload({ uploadId: state.id });
  await tracker.move(
    { remoteId: null },
    'The hosted service did not get this file from its address: it is sent there.',
  );
  return undefined;
}

/**
 * Takes the upload away from the hosted service too, after our own bytes are gone, so that a service that is away does
 * not hold up a deletion here. One that stays away for a week is left to its own retention, which was set to match.
 */
export async function removeAtHosted({ tracker, hosted }: UploadContext): Promise<void> {
  if (hosted === undefined) return;
  try {
    await hostedCalls(hosted, tracker.state.originalFilename).deleteRemoteUpload({ uploadId: tracker.state.id });
    tracker.timeline.say('Deleted at the hosted service.');
  } catch {
    tracker.timeline.say('The hosted service did not confirm the deletion; its own retention ends the upload there.');
  }
}
