import { expect, test } from '@jest/globals';
import { runEnhance } from '../../src/cli/enhance/enhance.ts';
import { watchFolder } from '../../src/cli/watch/watch.ts';
import { API_KEY, startFakeApi } from '../support/fake-api.ts';
import { folderForFiles, recorder } from './support.ts';

const PRESIGNED = 'https://bucket.example.com/one.jpg?X-Amz-Signature=secret';

/** Runs `burnish enhance` for photos. @returns its exit code, what it sent, and what it printed */
async function enhance(photos: number, destination: string, content?: string) {
  await using folder = await folderForFiles();
  await using api = await startFakeApi();
  const files = await Promise.all(Array.from({ length: photos }, (_, k) => folder.file(`${k}.jpg`)));
  const place = content === undefined ? destination : `@${await folder.file('place.txt', content)}`;
  const [out, err] = [recorder(), recorder()];
  const connect = async () => ({ baseUrl: api.baseUrl, apiKey: API_KEY, close: async () => undefined });
  const code = await runEnhance({ files, out: folder.path, destination: place }, { connect, out, err });
  const orders = api.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/uploads');
  const sent = orders.map(({ query }) => JSON.parse(query.get('enhancements')!)[0].destination as unknown);
  return { code, sent, printed: out.text() + err.text() };
}

test.each([
  ['a presigned URL', PRESIGNED, undefined, { url: PRESIGNED }],
  ['a bucket with a key', 'results/{uploadId}/{name}', undefined, { bucket: 'results', key: '{uploadId}/{name}' }],
  ['a file with a presigned URL', '', `${PRESIGNED}\n`, { url: PRESIGNED }],
])('--destination sends %s with the order', async (_what, typed, content, sent) => {
  const run = await enhance(1, typed, content);
  expect([run.code, run.sent]).toEqual([0, [sent]]);
  expect(run.printed).not.toContain('secret');
});

test('--destination sends a bucket with a key for each of several files', async () => {
  const { code, sent } = await enhance(2, 'results/{name}');
  expect([code, sent]).toEqual([0, [0, 1].map(() => ({ bucket: 'results', key: '{name}' }))]);
});

test.each([
  ['a presigned URL for several files', 2, PRESIGNED, undefined, 'A presigned URL takes one result.'],
  ['a file with a presigned URL for several files', 2, '', PRESIGNED, 'A presigned URL takes one result.'],
  [
    'a missing file',
    1,
    '@/no/such/file',
    undefined,
    'The file /no/such/file of --destination cannot be read (ENOENT).',
  ],
  ['a bucket without a key', 1, 'results', undefined, 'Expected a presigned URL, or a bucket with a key'],
  ['a file with two lines', 1, '', `${PRESIGNED}\n${PRESIGNED}`, 'Expected one line'],
])('--destination refuses %s, and sends nothing', async (_what, photos, typed, content, sentence) => {
  const { code, sent, printed } = await enhance(photos, typed, content);
  expect([code, sent]).toEqual([2, []]);
  expect(printed).toContain(sentence);
});

test('burnish watch refuses a presigned URL, which each result would replace', async () => {
  await using folder = await folderForFiles();
  const options = { folder: folder.path, out: `${folder.path}-out`, destination: PRESIGNED };
  const instance = { baseUrl: 'http://127.0.0.1:9', apiKey: API_KEY };
  const watching = watchFolder(options, { instance, signal: AbortSignal.timeout(1_000) });
  await expect(watching).rejects.toThrow('A presigned URL takes one result. Set a bucket with a key');
});
