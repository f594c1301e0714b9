import { parseAnalysis } from '../../hosted/metadata.ts';
import type { EnhancementAnswer, UploadAnswer } from '../../hosted/schemas.ts';
import type { HostedEnhancement, HostedUpload } from './hosted-service.ts';

/** Final states whose names differ between services; any other unknown state counts as running. */
const ENDED_BADLY = /(^|_)(FAILED|ERROR|DELETED|EXPIRED|REJECTED)$/i;
const CANCELLED = /^CANCELL?ED$/i;
const MAX_ERROR_CODE_LENGTH = 100;

export function toHostedUpload(answer: UploadAnswer): HostedUpload {
  const { id, filesize, metadata } = answer;
  const analysis = readAnalysisState(answer);
  return {
    id,
    file: readFileState(answer, analysis),
    analysis,
    size: filesize ?? null,
    pdf: analysis === 'done' ? parseAnalysis(metadata) : null,
    errorCode: cleanErrorCode(answer.errorCode),
  };
}

function readFileState({ status }: UploadAnswer, analysis: HostedUpload['analysis']): HostedUpload['file'] {
  // An analysis, running or ended, proves that the service has the PDF.
  if (status === 'UPLOAD_FINISHED' || analysis === 'done' || analysis === 'failed') return 'ready';
  return status && ENDED_BADLY.test(status) ? 'failed' : 'pending';
}

function readAnalysisState({ subStatus, mimetype }: UploadAnswer): HostedUpload['analysis'] {
  if (subStatus === 'METADATA_ANALYZED_SUCCESSFULLY') return 'done';
  if (subStatus === 'METADATA_ANALYZED_FAILED') return 'failed';
  // The analysis of a PDF may not have begun. Without a sub-status and a PDF type, the file is an image.
  return subStatus || mimetype === 'application/pdf' ? 'running' : null;
}

export function toHostedEnhancement({ id, status, errorCode, engineDuration }: EnhancementAnswer): HostedEnhancement {
  return {
    id,
    status: readEnhancementState(status ?? ''),
    errorCode: cleanErrorCode(errorCode),
    durationMs: engineDuration ?? null,
  };
}

function readEnhancementState(status: string): HostedEnhancement['status'] {
  if (status === 'FINISHED') return 'finished';
  if (CANCELLED.test(status)) return 'cancelled';
  return ENDED_BADLY.test(status) ? 'failed' : 'running';
}

/** Users see the code, so it keeps only characters that are valid in codes. */
function cleanErrorCode(code: string | null | undefined): string | null {
  const text = (code ?? '').replace(/[^\w .:-]/g, '').slice(0, MAX_ERROR_CODE_LENGTH);
  return text === '' ? null : text;
}
