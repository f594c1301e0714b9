import { describe, expect, test } from '@jest/globals';
import { describeError } from '../../src/cli/describe-error.ts';
import { StartupError } from '../../src/domain/startup-error.ts';

const systemError = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: something, mkdir`), { code, ...(path === undefined ? {} : { path }) });

describe('the reason of a failed command', () => {
  test.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk is full for this user'],
    ['EACCES', 'this user has no write permission there'],
    ['EROFS', 'its file system is read-only'],
    ['ENOTDIR', 'a file exists at the path of the folder'],
  ])('for a file is one sentence: %s', (code, reason) => {
    expect(describeError(systemError(code, '/data/files'))).toBe(`/data/files cannot be written: ${reason}.`);
    expect(describeError(systemError(code))).toBe(`A file in the data folder cannot be written: ${reason}.`);
  });

  test('of the embedded database is found by its error codes', () => {
    const said = { name: 'ErrnoError', errno: 51 };
    expect(describeError(said)).toBe('A file in the data folder cannot be written: the disk is full.');
  });

  test('is shown alone if the user can correct it, and with its stack if it is a defect', () => {
    expect(describeError(new StartupError('Set it.'))).toBe('Set it.');
    expect(describeError(new TypeError('x is not a function'))).toMatch(/^TypeError: x is not a function\n {4}at /);
    expect(describeError({ odd: 1 })).toBe('{ odd: 1 }');
  });
});
