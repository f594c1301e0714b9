import { isCancellation } from '@temporalio/workflow';
import { type PdfAnalysis, counted } from '@burnish/contract';
import { analyze } from '../activities.ts';
import { analyzeAtHosted } from '../hosted/analyze.ts';
import { step, failureReason } from '../step.ts';
import { fallBack } from '../hosted/send-upload.ts';
import { withFallback } from '../hosted/fallback.ts';
import type { UploadContext } from './context.ts';
import { toSourceFile } from './upload-state.ts';

export async function analyzePdf(context: UploadContext): Promise<void> {
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
  const here = () => step(waits, analyze, { summary: state.originalFilename }, toSourceFile(state));
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
