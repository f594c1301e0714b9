import { Failure } from '@burnish/contract';
import type { HostedUpload } from '../../activities/hosted/hosted-service.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { HOSTED_WAITS } from '../../domain/temporal/waits.ts';
import { hostedCalls, type HostedCalls } from './calls.ts';
import { hostedFailure } from '../step.ts';
import { awaitHosted } from './wait.ts';
import { withFallback } from './fallback.ts';
import type { UploadContext } from '../upload/open-upload.ts';
import { toSourceFile } from '../upload/upload-state.ts';

/**
 * Sends a received file to the hosted service: by its URL if it came from one, otherwise from Burnish's storage. The local
 * engine takes over the upload when the service stays unavailable and the policy allows it.
 * @throws Failure PROVIDER_UNAVAILABLE, PROVIDER_REJECTED, or the failure that the service reports for the file
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
  // Before the transfer, checks that the service is available and accepts the API key.
  await calls.readRemoteCredits();
  const fetched = source.kind === 'url' ? await sendFrom(source.url, context, calls) : undefined;
  const answer = fetched ?? (await sendFrom(null, context, calls));
  if (answer === undefined) throw new Failure('PROVIDER_UNAVAILABLE', { detail: 'The hosted service lost the file.' });
  if (answer.file === 'failed') throw hostedFailure(answer.errorCode, 'take the file');
}

export async function fallBack({ tracker }: Pick<UploadContext, 'tracker'>): Promise<void> {
  await tracker.move({ provider: 'local' }, 'The hosted service is unavailable. The local engine takes over.');
}

/** @returns the service's report on the file; undefined when the service got no file, or a different file, from this URL */
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
    source: toSourceFile(state),
    size,
    url,
    retentionDays,
  });
  await tracker.move({ remoteId: remoteUploadId }, `The id of the file at the hosted service is ${remoteUploadId}.`);
  const answer = await awaitHosted({
    read: () => calls.readRemoteUpload({ remoteUploadId }),
    settled: ({ file }) => file !== 'pending',
    wakeUps: hostedEvents,
    withinMs: HOSTED_WAITS.fileMs,
    summary: 'hosted service takes the file',
  });
  if (url === null) return answer;
  // The URL may be inaccessible to the service, or may have returned different bytes to it.
  const same = answer?.file === 'ready' && (answer.size === null || answer.size === size);
  if (same) return answer;
  await calls.deleteRemoteUpload({ uploadId: state.id });
  await tracker.move(
    { remoteId: null },
    'The hosted service could not download the file. Burnish sends the file there.',
  );
  return undefined;
}

/**
 * Deletes the upload at the hosted service, after the deletion of the local bytes, so that an outage does not delay the local
 * deletion. After an outage of a week, the service's own retention deletes the upload. That retention was set to match.
 */
export async function removeAtHosted({ tracker, hosted }: UploadContext): Promise<void> {
  if (hosted === undefined) return;
  try {
    await hostedCalls(hosted, tracker.state.originalFilename).deleteRemoteUpload({ uploadId: tracker.state.id });
    tracker.timeline.say('Deleted at the hosted service.');
  } catch {
    tracker.timeline.say('The hosted service did not confirm the deletion. Its retention deletes the upload there.');
  }
}
