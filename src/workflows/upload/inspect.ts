import { isCancellation } from '@temporalio/workflow';
import { counted, formatNumber, mediaKind } from '@burnish/contract';
import type { SourceFile } from '../../activities/inputs/schemas.ts';
import type { Inspection } from '../../activities/provider/local-context.ts';
import { inspectImage, inspectLargeImage } from '../activities.ts';
import { sendToHosted } from '../hosted/send-upload.ts';
import { failureReason, step } from '../step.ts';
import { endTime, failUpload } from './fail-upload.ts';
import type { UploadContext } from './open-upload.ts';
import { toSourceFile, type UploadTracker } from './upload-state.ts';

/** Inspects an image, sends the file to the hosted service if that is the provider, and records what has arrived. */
export async function inspect(context: UploadContext): Promise<void> {
  const { tracker } = context;
  const { state } = tracker;
  try {
    const source = toSourceFile(state);
    const isPdf = mediaKind(source.mimetype) === 'pdf';
    const inspection = isPdf
      ? undefined
      : ((await context.enhancements.inspectWithOrder()) ?? (await inspectSource(tracker, source)));
    const { width, height, notes }: Omit<Inspection, 'hasAlpha'> = inspection ?? { width: 0, height: 0, notes: [] };
    if (state.provider === 'hosted' && context.hosted !== undefined) await sendToHosted(context, context.hosted);
    const looks = isPdf ? '' : `, ${formatNumber(width)} × ${formatNumber(height)} pixels`;
    await tracker.move(
      {
        status: 'UPLOAD_FINISHED',
        subStatus: isPdf ? 'METADATA_ANALYZING' : null,
        width,
        height,
        ...(state.file !== null && inspection && { file: { ...state.file, hasAlpha: inspection.hasAlpha } }),
        finishedAt: endTime(state),
      },
      [`Received ${source.mimetype}, ${counted(state.file?.size ?? 0, 'byte')}${looks}.`, ...notes].join(' '),
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    await failUpload(context, failureReason(error));
  }
}

/**
 * Inspects a received image. One that takes longer than a second is inspected among the large images, so that it delays no other
 * account's photograph.
 * @throws the activity's failure, with the code for the record
 */
async function inspectSource({ state, waits }: UploadTracker, source: SourceFile): Promise<Inspection> {
  const summary = state.originalFilename;
  return (await step(waits, inspectImage, { summary }, source)) ?? step(waits, inspectLargeImage, { summary }, source);
}
