import { describe, expect, test } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { createAdmission, type Admission } from '../../../src/api/http/admission.ts';
import { Unavailable } from '../../../src/api/trouble/unavailable.ts';

describe('a part that is unavailable', () => {
  const LIMITS = { uploadsAtOnce: 20, permitWaitMs: 50 };
  const fail = async (): Promise<never> => {
    throw new Unavailable('database');
  };
  const attempt = (admission: Admission, account: string, work: () => Promise<unknown>): Promise<unknown> =>
    admission.run(account, work).then(
      () => 'accepted',
      (error: Failure) => error.code,
    );

  test('refuses uploads after three failures in a row, and one upload checks the part after two seconds', async () => {
    let nowMs = 0;
    let calls = 0;
    const admission = createAdmission(LIMITS, () => nowMs);
    const count = (): Promise<never> => {
      calls += 1;
      return fail();
    };
    for (let i = 0; i < 5; i += 1) await expect(admission.run('a', count)).rejects.toMatchObject({ part: 'database' });
    expect(calls).toBe(3);
    expect(admission.away()).toBe('database');
    nowMs = 2_000;
    await Promise.all([1, 2, 3].map(() => attempt(admission, 'a', count)));
    expect(calls).toBe(4);
    nowMs = 4_000;
    expect(await attempt(admission, 'a', async () => 'back')).toBe('accepted');
    expect(await attempt(admission, 'a', async () => 'open')).toBe('accepted');
    expect(admission.away()).toBeUndefined();
  });

  test('does not count as back by a refusal for another reason', async () => {
    const admission = createAdmission(LIMITS, () => 0);
    const refuse = async (): Promise<never> => {
      throw new Failure('CORRUPT_FILE');
    };
    for (let i = 0; i < 3; i += 1) {
      await attempt(admission, 'a', fail);
      await attempt(admission, 'a', refuse);
    }
    expect(admission.away()).toBe('database');
  });

  test('is checked by another account while the first check has no outcome', async () => {
    let nowMs = 0;
    const admission = createAdmission(LIMITS, () => nowMs);
    for (let i = 0; i < 3; i += 1) await attempt(admission, 'slow', fail);
    nowMs = 2_000;
    void admission.run('slow', () => new Promise(() => undefined));
    nowMs = 4_000;
    expect(await attempt(admission, 'slow', async () => 'never')).toBe('UNAVAILABLE');
    expect(await attempt(admission, 'calm', async () => 'back')).toBe('accepted');
  });

  test('is no longer reported half a minute after its last failure, since nobody may have sent an upload', async () => {
    let nowMs = 0;
    const admission = createAdmission(LIMITS, () => nowMs);
    for (let i = 0; i < 3; i += 1) await attempt(admission, 'a', fail);
    nowMs = 29_999;
    expect(admission.away()).toBe('database');
    nowMs = 30_000;
    expect(admission.away()).toBeUndefined();
  });
});
