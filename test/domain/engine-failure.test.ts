import { describe, expect, test } from '@jest/globals';
import { SEED_PLANS, asFailure, withFailures, FAILURES, EngineError } from '@burnish/contract';
import { assertFits } from '../../src/domain/enhancement/order-rules.ts';

describe('an error of the engine becomes the failure with its code', () => {
  test('with its own words, its field and its cause', () => {
    const cause = new Error('inside');
    const error = new EngineError('TOO_MANY_PIXELS', { detail: 'Too wide.', field: 'targetWidth', cause });
    expect(asFailure(error)).toMatchObject({
      name: 'Failure',
      code: 'TOO_MANY_PIXELS',
      message: 'Too wide.',
      field: 'targetWidth',
      cause,
    });
  });

  test('with the sentence of the service where it has no words of its own', () => {
    expect(asFailure(new EngineError('PROCESSING_LIMIT'))).toMatchObject({
      message: FAILURES.PROCESSING_LIMIT.sentence,
      retryable: FAILURES.PROCESSING_LIMIT.retryable,
    });
  });

  test('which names the disk where it cannot be written, and nothing else', () => {
    expect(asFailure(new EngineError('UNAVAILABLE'))).toMatchObject({ machinery: 'disk' });
    expect(asFailure(new EngineError('CORRUPT_FILE'))).toMatchObject({ machinery: undefined });
  });

  test('and any other error stays what it is', () => {
    const other = new TypeError('a bug');
    expect(asFailure(other)).toBe(other);
    const failing = () => {
      throw other;
    };
    expect(() => withFailures(failing)).toThrow(other);
  });
});

test('an order beyond the size of results is refused with a failure that names its field', () => {
  const file = { size: 30_000, sha256: 'a'.repeat(64), mimetype: 'image/jpeg' as const };
  const upload = { file, width: 10_000, height: 8_000, provider: 'local' as const, analysis: null };
  expect(() => assertFits(upload, SEED_PLANS.FREE, { upscalingFactor: 'X4' })).toThrow(
    expect.objectContaining({ name: 'Failure', code: 'TOO_MANY_PIXELS', field: 'upscalingFactor' }),
  );
  expect(() => assertFits(upload, SEED_PLANS.FREE, { targetWidth: 50_000 })).toThrow(
    expect.objectContaining({ name: 'Failure', code: 'BAD_USER_INPUT', field: 'targetWidth' }),
  );
});
