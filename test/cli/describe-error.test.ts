import { describe, expect, test } from '@jest/globals';
import { describeError } from '../../src/cli/describe-error.ts';
import { StartupError } from '../../src/domain/startup-error.ts';

const systemError = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: something, mkdir`), { code, ...(path === undefined ? {} : { path }) });

describe('why a command ended', () => {
  test.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk is full for this user'],
    ['EACCES', 'this user may not write there'],
    ['EROFS', 'its file system is read-only'],
    ['ENOTDIR', 'a file is in the way of the folder'],
  ])('%s is one sentence about the file', (code, reason) => {
    expect(describeError(systemError(code, '/data/files'))).toBe(`/data/files cannot be written: ${reason}.`);
    expect(describeError(systemError(code))).toBe(`A file in the data folder cannot be written: ${reason}.`);
  });

  test('the embedded database says it in numbers', () => {
    const said = { name: 'ErrnoError', errno: 51 };
    expect(describeError(said)).toBe('A file in the data folder cannot be written: the disk is full.');
  });

  test('what the person can mend is said as it is, and a defect shows where it is', () => {
    expect(describeError(new StartupError('Set it.'))).toBe('Set it.');
    expect(describeError(new TypeError('x is not a function'))).toMatch(/^TypeError: x is not a function\n {4}at /);
    expect(describeError({ odd: 1 })).toBe('{ odd: 1 }');
  });
});
