import { isCancellation } from '@temporalio/workflow';
import { analyze } from './activities.ts';
import { failureReason } from './failure-reason.ts';
import { sourceFileOf, type UploadParts } from './upload-parts.ts';

/** Finds out what a PDF holds. Tried again by policy, and by command after that. */
export async function analyzePdf(parts: UploadParts): Promise<void> {
  const { tracker, supervisor } = parts;
  const { state } = tracker;
  if (state.subStatus !== 'METADATA_ANALYZING') {
    await tracker.move({ subStatus: 'METADATA_ANALYZING', errorCode: null, errorDetail: null }, 'Analysing again.');
  }
  try {
    const analysis = await analyze.executeWithOptions({ summary: state.originalFilename }, [sourceFileOf(parts)]);
    const { pages, images } = analysis.statistics;
    await tracker.move(
      { subStatus: 'METADATA_ANALYZED_SUCCESSFULLY', analysis },
      `Analysed: ${pages} pages, ${images} images, ${analysis.totalCredits} credits for everything.`,
      'upload.sub_status_update',
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { code, detail } = failureReason(error);
    await tracker.move(
      { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: code, errorDetail: detail },
      `Analysis failed with ${code}: ${detail}`,
      'upload.sub_status_update',
    );
    await supervisor.failWaiting({ code, detail });
  }
}
