import { isCancellation } from '@temporalio/workflow';
import { type PdfAnalysis, counted } from '@burnish/contract';
import { analyze as analyzeHere } from '../activities.ts';
import { analyzeAtHosted } from '../hosted/analyze.ts';
import { step, failureReason } from '../step.ts';
import { fallBack } from '../hosted/send-upload.ts';
import { withFallback } from '../hosted/fallback.ts';
import { inspect } from './inspect.ts';
import type { UploadContext } from './open-upload.ts';
import { toSourceFile } from './upload-state.ts';

/**
 * The step that examines the file: an image by its inspection, a PDF by its analysis, which a command repeats. For an image
 * with its only order, for quick work, `enhance` does both, in one activity: `inspectWithOrder` waits for its part.
 */
export async function analyze(context: UploadContext): Promise<void> {
  const { tracker, enhancements, commands } = context;
  const { state } = tracker;
  if (state.status === 'UPLOAD_PROCESSING') {
    await inspect(context);
    await enhancements.received();
  }
  if (commands.takeAnalysisAsked() || state.subStatus === 'METADATA_ANALYZING') await analyzePdf(context);
}

async function analyzePdf(context: UploadContext): Promise<void> {
  const { tracker, enhancements } = context;
  const { state } = tracker;
  if (state.subStatus !== 'METADATA_ANALYZING') {
    await tracker.move(
      { subStatus: 'METADATA_ANALYZING', errorCode: null, errorDetail: null },
      'The analysis is repeated.',
    );
  }
  try {
    const analysis = await findOut(context);
    const { totalCredits, statistics } = analysis;
    const found = `${counted(statistics.pages, 'page')}, ${counted(statistics.images, 'image')}`;
    await tracker.move(
      { subStatus: 'METADATA_ANALYZED_SUCCESSFULLY', analysis },
      `Analyzed: ${found}, ${counted(totalCredits, 'credit')} for all enhancements.`,
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { code, detail } = failureReason(error);
    await tracker.move(
      { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: code, errorDetail: detail },
      `Analysis failed with ${code}: ${detail}`,
    );
    await enhancements.failWaiting({ code, detail });
  }
}

async function findOut(context: UploadContext): Promise<PdfAnalysis> {
  const { tracker, hosted } = context;
  const { waits, state } = tracker;
  const here = () => step(waits, analyzeHere, { summary: state.originalFilename }, toSourceFile(state));
  if (state.provider !== 'hosted' || hosted === undefined) return here();
  return withFallback(
    hosted,
    () => analyzeAtHosted(context, hosted),
    async () => {
      await fallBack(context);
      return here();
    },
  );
}
