import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';
import type { FileSource } from '../src/file-source.ts';

/** Sends nothing: a request would be a fault of these tests. */
const fetch = (() => Promise.reject(new Error('A request was sent.'))) as unknown as typeof globalThis.fetch;
const burnish = new Burnish({ baseUrl: 'http://localhost', apiKey: 'key', fetch });

test.each([
  ['read of an upload', () => burnish.uploads.get('')],
  ['deletion', () => burnish.uploads.delete('')],
  ['new analysis', () => burnish.uploads.analyze('')],
  ['read of an enhancement', () => burnish.enhancements.get('')],
])('a %s with an empty id sends nothing, since its path is that of a list', async (_name, call) => {
  await expect(call()).rejects.toThrow('Pass the id of a record');
});

test('a baseUrl without a scheme is refused with an example', () => {
  expect(() => new Burnish({ baseUrl: 'localhost:3000' })).toThrow(
    'The baseUrl localhost:3000 has no scheme. Write it as a URL, such as http://localhost:3000.',
  );
  for (const baseUrl of ['http://localhost:3000', 'HTTPS://burnish.example.com/', '/burnish', ''])
    expect(() => new Burnish({ baseUrl })).not.toThrow();
});

test.each([null, undefined, 7, {}, []])('%p is refused as a file, with the kinds that are accepted', async (source) => {
  await expect(burnish.enhance(source as FileSource, {}, { filename: 'a.jpg' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: 'Expected a path, a URL, a Blob, bytes or a stream of bytes.',
  });
});

test('a folder is refused as a folder, not as a file that has changed', async () => {
  await expect(burnish.enhance(tmpdir())).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: `${tmpdir()} is a folder. Pass the path of one of its files.`,
  });
});
