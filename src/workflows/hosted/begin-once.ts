import { msToNumber } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { LostAnswer, EnhancementRun } from '../enhancement/enhancement-run.ts';
import type { UploadTracker } from '../upload/upload-state.ts';
import { HOSTED_BEGIN } from '../../domain/temporal/retry-policies.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { isUnavailable, toleratedAbsenceMs, type HostedCalls } from './calls.ts';
import { awaitHosted } from './wait.ts';
import type { Input } from '../../activities/inputs/schemas.ts';

export interface BeginOnce {
  job: Input<'beginRemoteEnhancement'>;
  policy: HostedPolicy;
  open: EnhancementRun;
  upload: UploadTracker;
  calls: HostedCalls;
}

/**
 * Begins the enhancement at the service at most once, as far as this can be detected: beginning is not idempotent there. After
 * a lost answer, the workflow looks for a sign of the enhancement. If it finds none, the policy decides: begin again, or hold
 * until an approval.
 * @returns the enhancement's id at the service
 * @throws Failure APPROVAL_REJECTED when the approval to begin again was rejected or timed out
 */
export async function beginOnce({ job, policy, open, upload, calls }: BeginOnce): Promise<string> {
  const { progress, approval, tracker } = open;
  const say = (sentence: string): void => upload.timeline.say(`${tracker.state.id}: ${sentence}`);
  for (let again = progress.lost === undefined; ; again = true) {
    if (again) {
      const sinceMs = Date.now();
      const remoteId = await begin(job, calls, toleratedAbsenceMs(policy));
      if (remoteId !== null) return remoteId;
      if (progress.lost === undefined) {
        say('The response of the hosted service was lost. Burnish checks whether the enhancement exists there.');
      }
      progress.lost = { sinceMs, attempt: (progress.lost?.attempt ?? 0) + 1 };
    }
    const lost = progress.lost!;
    const found = lost.held === true ? undefined : await findSign(job, lost, open, calls);
    if (found !== undefined) return found;
    if (lost.held === true || policy.lostAnswer === 'hold' || lost.attempt >= HOSTED_BEGIN.maximumAttempts) {
      lost.held = true;
      progress.approvalSince ??= Date.now();
      await approval.wait(
        'The response of the hosted service was lost, and a repetition could be charged twice. Approve the enhancement to repeat it.',
        progress.approvalSince,
      );
      delete progress.approvalSince;
    } else {
      say('The enhancement does not exist at the hosted service. Burnish repeats the request.');
    }
  }
}

async function findSign(
  job: Input<'beginRemoteEnhancement'>,
  { sinceMs }: LostAnswer,
  { wakeUps, whileIdle }: EnhancementRun,
  calls: HostedCalls,
): Promise<string | undefined> {
  const found = await awaitHosted({
    read: () => calls.findLostEnhancement({ ...job, sinceMs }),
    settled: (sign) => sign !== null,
    wakeUps: wakeUps.hosted,
    withinMs: HOSTED_BEGIN.signWithinMs,
    summary: 'a sign of the lost enhancement',
    whileIdle,
  });
  return found?.remoteEnhancementId;
}

/**
 * Retries until the service answers. An attempt is repeated only if it certainly began nothing. The intervals grow, unless the
 * service asks for a specific delay.
 * @returns null when it is unknown whether the enhancement has begun
 */
async function begin(
  job: Input<'beginRemoteEnhancement'>,
  calls: HostedCalls,
  absenceMs: number,
): Promise<string | null> {
  const deadline = Date.now() + absenceMs;
  for (let interval: number = HOSTED_BEGIN.firstMs; ; interval = Math.min(interval * 2, HOSTED_BEGIN.longestMs)) {
    try {
      return (await calls.beginRemoteEnhancement(job)).remoteEnhancementId;
    } catch (error) {
      if (isLostAnswer(error)) return null;
      const asked = nextRetryDelayMs(error);
      const wait = asked ?? interval;
      if (!isUnavailable(error) || Date.now() + wait > deadline) throw error;
      await sleep(wait, { summary: 'the hosted service is unavailable' });
    }
  }
}

/** True when the activity reports a lost answer, or timed out, for example because its worker crashed. The outcome is then unknown. */
function isLostAnswer(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && cause.type === 'ANSWER_LOST');
}

function nextRetryDelayMs(error: unknown): number | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  const { nextRetryDelay } = error.cause;
  return nextRetryDelay ? msToNumber(nextRetryDelay) : undefined;
}
