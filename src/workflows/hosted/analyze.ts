import { condition, sleep } from '@temporalio/workflow';
import { type PdfAnalysis, FAILURES, Failure, isFailureCode } from '@burnish/contract';
import { HOSTED_ANALYSIS_INTERVALS_MS } from '../../domain/temporal/retry-policies.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { HOSTED_WAITS } from '../../domain/temporal/waits.ts';
import { hostedCalls } from './calls.ts';
import { hostedFailure } from '../step.ts';
import { awaitHosted } from './wait.ts';
import type { UploadContext } from '../upload/open-upload.ts';

/** Whether the code says that a retry cannot succeed, for example because a password is needed. */
const isFinal = (errorCode: string | null): boolean => isFailureCode(errorCode) && !FAILURES[errorCode].retryable;

/**
 * Waits for the analysis, which the service begins on its own once it has a PDF. Requests it again after a failure.
 * @throws Failure when every attempt failed, or when a retry cannot succeed
 */
export async function analyzeAtHosted(context: UploadContext, policy: HostedPolicy): Promise<PdfAnalysis> {
  const { tracker, hostedEvents: wakeUps } = context;
  const remoteUploadId = tracker.state.remoteId;
  if (remoteUploadId === null) throw new TypeError('The PDF has no id at the hosted service.');
  const calls = hostedCalls(policy, tracker.state.originalFilename);

  for (let attempt = 0; ; attempt += 1) {
    const answer = await awaitHosted({
      read: () => calls.readRemoteUpload({ remoteUploadId }),
      settled: ({ file, analysis }) => file === 'failed' || analysis === 'done' || analysis === 'failed',
      wakeUps,
      withinMs: HOSTED_WAITS.analysisMs,
      summary: 'hosted service analyzes',
    });
    if (answer === undefined)
      throw new Failure('PROVIDER_UNAVAILABLE', { detail: 'The analysis did not end in time.' });
    if (answer.analysis === 'done' && answer.pdf !== null) return answer.pdf;
    const interval = HOSTED_ANALYSIS_INTERVALS_MS[attempt];
    if (interval === undefined || answer.file === 'failed' || isFinal(answer.errorCode))
      throw hostedFailure(answer.errorCode, 'analyze the PDF');
    tracker.timeline.say(`The analysis failed at the hosted service. Burnish repeats it in ${interval / 1000} s.`);
    await sleep(interval, { summary: 'before analyzing again' });
    await calls.analyzeRemoteUpload({ remoteUploadId });
    const seen = wakeUps();
    await condition(() => wakeUps() > seen, HOSTED_WAITS.analysisAgainMs, { summary: 'hosted service analyzes again' });
  }
}
