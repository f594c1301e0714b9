import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { derivedId } from '@burnish/contract';
import {
  ownerIn,
  ownsKey,
  incomingKey,
  originalKey,
  previewKey,
  resultKey,
  workPrefix,
} from '../../src/domain/files/object-keys.ts';

const digest = fc.uint8Array({ minLength: 16, maxLength: 16 });
const accountId = digest.map((bytes) => derivedId('acc', bytes));
const uploadId = digest.map((bytes) => derivedId('upl', bytes));
const enhancementId = digest.map((bytes) => derivedId('enh', bytes));
const owner = fc.record({ accountId, uploadId });

describe('the owner of an object key', () => {
  test('matches every key that Burnish makes for an upload', () => {
    fc.assert(
      fc.property(owner, enhancementId, (given, enhancement) => {
        const { accountId, uploadId } = given;
        const result = resultKey(accountId, uploadId, enhancement);
        const made = [originalKey, incomingKey].map((keyOf) => keyOf(accountId, uploadId));
        const below = [previewKey(accountId, uploadId, `${enhancement}/w320`), `${workPrefix(result)}/0a1b/17`];
        for (const key of [...made, result, ...below]) {
          expect(ownsKey(given, key)).toBe(true);
          expect(ownerIn(key)).toEqual(given);
        }
      }),
    );
  });

  test('excludes every key of another account or another upload', () => {
    fc.assert(
      fc.property(owner, owner, (mine, other) => {
        fc.pre(mine.accountId !== other.accountId && mine.uploadId !== other.uploadId);
        for (const foreign of [other, { ...mine, accountId: other.accountId }, { ...mine, uploadId: other.uploadId }]) {
          expect(ownsKey(mine, originalKey(foreign.accountId, foreign.uploadId))).toBe(false);
        }
      }),
    );
  });

  test('accepts only keys that stay below the prefix as a path', () => {
    const parts = fc.array(fc.oneof(fc.constantFrom('..', '.', '', 'original', '%2e%2e', '\0', 'A'), fc.string()), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(owner, parts, (given, names) => {
        const prefix = `${given.accountId}/${given.uploadId}/`;
        const key = prefix + names.join('/');
        if (ownsKey(given, key)) expect(new URL(key, 'file:///').pathname).toBe(`/${key}`);
      }),
    );
  });

  test.each(['', 'original', 'acc_1/upl_2/original', '../acc/upl', '/etc/passwd'])('does not exist for %j', (key) => {
    expect(ownerIn(key)).toBeUndefined();
  });

  test('does not exist for the prefix of an upload', () => {
    const [given] = fc.sample(owner, 1);
    expect(ownsKey(given!, `${given!.accountId}/${given!.uploadId}`)).toBe(false);
    expect(ownsKey(given!, `${given!.accountId}/${given!.uploadId}/`)).toBe(false);
  });
});
