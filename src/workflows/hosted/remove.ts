import type { UploadContext } from '../upload/context.ts';
import { hostedCalls } from './calls.ts';

/**
 * Takes the upload away from the hosted service too, after our own bytes are gone, so that a service that is away does
 * not hold up a deletion here. One that stays away for a week is left to its own retention, which was set to match.
 */
export async function removeAtHosted({ tracker, hosted }: UploadContext): Promise<void> {
  if (hosted === undefined) return;
  try {
    await hostedCalls(hosted).deleteRemoteUpload({ uploadId: tracker.state.id });
    tracker.timeline.say('Deleted at the hosted service.');
  } catch {
    tracker.timeline.say('The hosted service did not confirm the deletion; its own retention ends the upload there.');
  }
}
