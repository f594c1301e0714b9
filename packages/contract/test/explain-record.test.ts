import { describe, expect, test } from '@jest/globals';
import {
  explainBatch,
  explainDelivery,
  explainEnhancement,
  explainFailure,
  explainUpload,
  FAILURE_CODES,
  FAILURES,
  WAITING_FOR,
} from '../src/index.ts';

const CALM = { waitingFor: null, errorCode: null, errorDetail: null };
const ENHANCEMENT = { ...CALM, estimatedCredits: null, maxCredits: null, dropped: 0, destination: null };

describe('the explanation of a record', () => {
  test('is absent while nothing is wrong', () => {
    expect(explainUpload(CALM)).toBeNull();
    expect(explainEnhancement(ENHANCEMENT)).toBeNull();
    expect(explainBatch({ status: 'RUNNING', pauseReason: null, failed: 0 })).toBeNull();
    expect(explainDelivery({ status: 'DELIVERED', attempts: [], nextAttemptAt: null })).toBeNull();
  });

  test.each(WAITING_FOR)('says what it waits for and what to do: %s', (waitingFor) => {
    const explained = explainEnhancement({ ...ENHANCEMENT, waitingFor })!;
    expect(explainUpload({ ...CALM, waitingFor })).toEqual(explained);
    // The remedy begins with a verb that `explainFailure` knows.
    expect(explainFailure(null, `${explained.detail} ${explained.remedy}`)).toEqual(explained);
  });

  test.each(FAILURE_CODES)('has the fault and the remedy of a failure: %s', (errorCode) => {
    const { sentence, remedy } = FAILURES[errorCode];
    expect(explainUpload({ ...CALM, errorCode })).toEqual({ detail: sentence, remedy });
    const errorDetail = 'The file ends early. Send it again.';
    const own = { detail: 'The file ends early.', remedy: 'Send it again.' };
    expect(explainEnhancement({ ...ENHANCEMENT, errorCode, errorDetail })).toEqual(own);
    const destination = { status: 'FAILED', errorCode, errorDetail } as const;
    expect(explainEnhancement({ ...ENHANCEMENT, destination })).toEqual(own);
  });

  test('names the credits of a wait', () => {
    const waiting = { ...ENHANCEMENT, estimatedCredits: 8, maxCredits: 4 };
    expect(explainEnhancement({ ...waiting, waitingFor: 'credits' })!.detail).toBe(
      'It needs 8 credits, and the account has fewer.',
    );
    expect(explainEnhancement({ ...waiting, waitingFor: 'approval' })!.detail).toBe(
      'The estimate of 8 credits is above maxCredits, which is 4.',
    );
    expect(explainEnhancement({ ...waiting, dropped: 2, waitingFor: 'approval' })).toEqual({
      detail: 'The result would be without 2 pages of the PDF, and it costs 8 credits.',
      remedy: 'Check the pages and the price, and approve or reject it within 7 days.',
    });
  });

  test.each(['request', 'budget', 'credits'] as const)('of a paused batch names the way on: %s', (pauseReason) => {
    expect(explainBatch({ status: 'PAUSED', pauseReason, failed: 2 })!.remedy).toMatch(/resume/i);
  });

  test('of a delivery has the answer of the receiver, and says whether a further attempt follows', () => {
    const attempts = [{ httpStatus: 503, answer: 'busy' }];
    expect(explainDelivery({ status: 'PENDING', attempts, nextAttemptAt: '2026-01-01T00:00:00.000Z' })).toEqual({
      detail: 'The receiver answered with the HTTP status 503.',
      remedy: 'Correct the receiver. The next attempt follows by itself.',
    });
    const silent = [{ httpStatus: null, answer: 'The connection was refused.' }];
    expect(explainDelivery({ status: 'FAILED', attempts: silent, nextAttemptAt: null })).toEqual({
      detail: 'The receiver did not answer: The connection was refused.',
      remedy: 'Correct or enable the receiver, and send the delivery again.',
    });
  });
});
