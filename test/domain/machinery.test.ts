import { describe, expect, test } from '@jest/globals';
import { failedMachinery, isDiskFull } from '../../src/domain/failed-machinery.ts';

const coded = (code: string): Error => Object.assign(new Error('refused'), { code });
const failed = (machinery: string, cause?: unknown): Error =>
  Object.assign(new Error('no answer', { cause }), { machinery });

describe('a full disk', () => {
  test.each(['ENOSPC', 'EDQUOT', '53100'])('has the code %s, also as the cause of another error', (code) => {
    expect(isDiskFull(coded(code))).toBe(true);
    expect(isDiskFull(new Error('The upload failed.', { cause: coded(code) }))).toBe(true);
  });

  test.each([coded('EACCES'), new Error('ENOSPC'), 'ENOSPC', undefined])('is not %p', (error) => {
    expect(isDiskFull(error)).toBe(false);
  });
});

describe('the failed part of the machinery', () => {
  test.each(['storage', 'database'])('is the %s that an error or its cause names', (part) => {
    expect(failedMachinery(failed(part))).toBe(part);
    expect(failedMachinery(new Error('The step failed.', { cause: failed(part) }))).toBe(part);
  });

  test('is the disk if storage or database failed because of it', () => {
    expect(failedMachinery(failed('storage', coded('ENOSPC')))).toBe('disk');
    expect(failedMachinery(failed('database', coded('53100')))).toBe('disk');
  });

  test.each([failed('engine'), coded('EACCES'), new Error('storage'), null])('is unknown for %p', (error) => {
    expect(failedMachinery(error)).toBeUndefined();
  });
});
