import type { SourceFile } from '../../activities/inputs/schemas.ts';
import type { Inspection } from '../../activities/provider/provider.ts';
import { inspectImage, inspectLargeImage } from '../activities.ts';
import { step } from '../step.ts';
import type { UploadTracker } from './upload-state.ts';

/**
 * Inspects a received image. One that takes longer than a second is inspected among the large images, so that it delays no other
 * account's photograph.
 * @throws the activity's failure, with the code for the record
 */
export async function inspectSource({ state, waits }: UploadTracker, source: SourceFile): Promise<Inspection> {
  const summary = state.originalFilename;
  return (await step(waits, inspectImage, { summary }, source)) ?? step(waits, inspectLargeImage, { summary }, source);
}
