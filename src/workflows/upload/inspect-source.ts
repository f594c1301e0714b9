import { patched } from '@temporalio/workflow';
import type { SourceFile } from '../../activities/inputs/schemas.ts';
import type { Inspection } from '../../activities/provider/provider.ts';
import { inspect, inspectImage, inspectLargeImage } from '../activities.ts';
import { withMachineryBackoff } from '../step-failures.ts';
import type { UploadTracker } from './upload-state.ts';

/**
 * Inspects a received image. One that takes longer than a second is inspected among the large images, so that it delays no other
 * account's photograph.
 * @throws the activity's failure, with the code for the record
 */
export async function inspectSource({ state, waits }: UploadTracker, source: SourceFile): Promise<Inspection> {
  const summary = state.originalFilename;
  if (!patched('inspection-in-queues')) {
    return withMachineryBackoff(waits, (backoff) => inspect.executeWithOptions({ ...backoff, summary }, [source]));
  }
  const quick = await withMachineryBackoff(waits, (backoff) =>
    inspectImage.executeWithOptions({ ...backoff, summary }, [source]),
  );
  if (quick !== null) return quick;
  return withMachineryBackoff(waits, (backoff) =>
    inspectLargeImage.executeWithOptions({ ...backoff, summary }, [source]),
  );
}
