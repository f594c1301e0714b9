import { analysisOf } from '../../hosted/metadata.ts';
import type { EnhancementAnswer, UploadAnswer } from '../../hosted/schemas.ts';
import type { HostedEnhancement, HostedUpload } from './hosted-service.ts';

/** Final states that a service may name in its own way; any other unknown state counts as running. */
const ENDED_BADLY = /(^|_)(FAILED|ERROR|DELETED|EXPIRED|REJECTED)$/i;
const CANCELLED = /^CANCELL?ED$/i;
const MAX_ERROR_CODE_LENGTH = 100;

/** What the service says of an upload. */
export function hostedUploadOf(answer: UploadAnswer): HostedUpload {
  const { id, filesize, metadata } = answer;
  const analysis = analysisStateOf(answer);
  return {
    id,
    file: fileStateOf(answer, analysis),
    analysis,
    size: filesize ?? null,
    pdf: analysis === 'done' ? analysisOf(metadata) : null,
    errorCode: errorCodeOf(answer.errorCode),
  };
}

function fileStateOf({ status }: UploadAnswer, analysis: HostedUpload['analysis']): HostedUpload['file'] {
  // A PDF that is being analysed, or has been, is there.
  if (status === 'UPLOAD_FINISHED' || analysis === 'done' || analysis === 'failed') return 'ready';
  return status && ENDED_BADLY.test(status) ? 'failed' : 'pending';
}

function analysisStateOf({ subStatus, mimetype }: UploadAnswer): HostedUpload['analysis'] {
  if (subStatus === 'METADATA_ANALYZED_SUCCESSFULLY') return 'done';
  if (subStatus === 'METADATA_ANALYZED_FAILED') return 'failed';
  // The analysis of a PDF may not have begun; with no word of either, it is an image.
  return subStatus || mimetype === 'application/pdf' ? 'running' : null;
}

/** What the service says of an enhancement. */
export function hostedEnhancementOf({ id, status, errorCode, engineDuration }: EnhancementAnswer): HostedEnhancement {
  return {
    id,
    status: enhancementStateOf(status ?? ''),
    errorCode: errorCodeOf(errorCode),
    durationMs: engineDuration ?? null,
  };
}

function enhancementStateOf(status: string): HostedEnhancement['status'] {
  if (status === 'FINISHED') return 'finished';
  if (CANCELLED.test(status)) return 'cancelled';
  return ENDED_BADLY.test(status) ? 'failed' : 'running';
}

/** It is shown to people, so it holds nothing but what a code is made of. */
function errorCodeOf(code: string | null | undefined): string | null {
  const text = (code ?? '').replace(/[^\w .:-]/g, '').slice(0, MAX_ERROR_CODE_LENGTH);
  return text === '' ? null : text;
}
