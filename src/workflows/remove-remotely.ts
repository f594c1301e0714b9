import type { UploadParts } from './upload-parts.ts';
import { remoteCalls } from './remote-calls.ts';

/**
 * Takes the upload away from the hosted service too, after our own bytes are gone, so that a service that is away does
 * not hold up a deletion here. One that stays away for a week is left to its own retention, which was set to match.
 */
export async function removeRemotely({ tracker, hosted }: UploadParts): Promise<void> {
  if (hosted === undefined) return;
  try {
    await remoteCalls(hosted).deleteRemoteUpload({ uploadId: tracker.state.id });
    tracker.timeline.say('Deleted at the hosted service.');
  } catch {
    tracker.timeline.say('The hosted service did not confirm the deletion; its own retention ends the upload there.');
  }
}
