import { expect, test } from '@jest/globals';
import { readPassword } from '../../src/cli/enhance/enhance-password.ts';
import { enhancePipe } from '../../src/cli/enhance/enhance-pipe.ts';
import { runEnhance } from '../../src/cli/enhance/enhance.ts';
import { API_KEY, startFakeApi } from '../support/fake-api.ts';
import { folderForFiles, recorder } from './support.ts';

const neverConnect = (): never => {
  throw new Error('Nothing is to be sent.');
};

test('--password-file sends the first line with PDFs only, percent-encoded in a header', async () => {
  await using folder = await folderForFiles();
  await using api = await startFakeApi();
  const photo = await folder.file('photo.jpg');
  const scan = await folder.file('scan.pdf', `%PDF-1.7\n${'x'.repeat(25_000)}`);
  const passwordFile = await folder.file('password', 'geheim & größe\n');
  const connect = async () => ({ baseUrl: api.baseUrl, apiKey: API_KEY, close: async () => undefined });
  const [out, err] = [recorder(), recorder()];
  expect(await runEnhance({ files: [photo, scan], out: folder.path, passwordFile }, { connect, out, err })).toBe(0);
  const sent = api.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/uploads');
  const headers = Object.fromEntries(
    sent.map(({ query, headers: each }) => [query.get('filename'), each['x-pdf-password']]),
  );
  expect(headers).toEqual({ 'photo.jpg': undefined, 'scan.pdf': encodeURIComponent('geheim & größe') });
  expect(sent.map(({ query }) => query.toString()).join()).not.toContain('geheim');
  expect(out.text() + err.text()).not.toContain('geheim');
});

test.each([
  ['is empty', '\n'],
  ['has two lines', 'one\ntwo\n'],
  ['is too long', 'x'.repeat(128)],
])('a password file that %s is refused by name, without its content', async (_, content) => {
  await using folder = await folderForFiles();
  const passwordFile = await folder.file('password', content);
  const err = recorder();
  expect(await runEnhance({ files: ['a.pdf'], out: folder.path, passwordFile }, { connect: neverConnect, err })).toBe(
    2,
  );
  expect(err.text()).toContain(`in the password file ${passwordFile}`);
});

test('a missing password file is named', async () => {
  await expect(readPassword('/no/such/file')).rejects.toThrow(
    'The password file /no/such/file cannot be read (ENOENT).',
  );
});

test('stdin cannot supply both the file and its password', async () => {
  const err = recorder();
  const options = { files: ['-'], out: 'out', passwordFile: '-' };
  expect(await enhancePipe(options, { connect: neverConnect, err })).toBe(2);
  expect(err.text()).toBe('Stdin contains the input file. Use a file for --password-file.\n');
});
