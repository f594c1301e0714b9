import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { enhancePipe } from '../../src/cli/enhance/enhance-pipe.ts';
import { API_KEY, startFakeApi, type Script } from '../support/fake-api.ts';
import { recorder } from './support.ts';

const leftovers = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => /^burnish-pipe-/.test(name));

/** Runs `burnish enhance` with these files and this input, against an instance that a test plays. */
async function pipe(input: Readable, script: Script = {}, files = ['-']) {
  await using api = await startFakeApi(() => script);
  const [err, stdout] = [recorder(), new PassThrough()];
  const result = buffer(stdout);
  const connect = () => Promise.resolve({ baseUrl: api.baseUrl, apiKey: API_KEY, close: () => Promise.resolve() });
  const code = await enhancePipe({ files, out: 'unused' }, { connect, err, stdin: input, stdout });
  stdout.end();
  const sent = api.requests.find(({ method, path }) => method === 'POST' && path === '/v1/uploads');
  return { code, sent: sent?.body, err: err.text(), result: await result };
}

test('a file on stdin is enhanced, and only its result is written to stdout', async () => {
  const before = await leftovers();
  const result = Buffer.alloc(40_000, 9);
  const piped = await pipe(Readable.from([Buffer.alloc(20_000, 1), Buffer.alloc(5_000, 2)]), { result });
  expect(piped.code).toBe(0);
  expect(piped.sent?.equals(Buffer.concat([Buffer.alloc(20_000, 1), Buffer.alloc(5_000, 2)]))).toBe(true);
  expect(piped.result.equals(result)).toBe(true);
  expect(piped.err).toMatch(/stdin: finished in .*, written to stdout\n/);
  expect(piped.err).toMatch(/^stdin +FINISHED .* stdout$/m);
  expect(piped.err).not.toContain(tmpdir());
  expect(await leftovers()).toEqual(before);
});

test('without a result stdout stays empty, and stderr names the reason', async () => {
  const failure = {
    status: 'ERROR',
    errorCode: 'CORRUPT_FILE',
    errorDetail: 'The file is damaged and cannot be read.',
  } as const;
  const piped = await pipe(Readable.from([Buffer.alloc(25_000, 1)]), failure);
  expect([piped.code, piped.result.length]).toEqual([1, 0]);
  expect(piped.err).toContain('stdin: CORRUPT_FILE: The file is damaged and cannot be read.');
  expect(piped.err).not.toContain(tmpdir());
});

test('a second file beside - is a usage error', async () => {
  const piped = await pipe(Readable.from([]), {}, ['-', 'photo.jpg']);
  expect(piped).toMatchObject({ code: 2, err: '- reads one file from stdin. Remove the other files.\n' });
});

test('an input above the largest allowed size is refused before it is sent', async () => {
  const [err, stdout] = [recorder(), new PassThrough()];
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(10_000);
  }
  const connect = () => Promise.reject(new Error('Nothing is sent.'));
  const deps = { connect, err, stdin: Readable.from(endless()), stdout, maxBytes: 100_000 };
  const code = await enhancePipe({ files: ['-'], out: '' }, deps);
  expect([code, err.text()]).toEqual([1, 'The input is larger than 100,000 bytes, the maximum size of a file.\n']);
});
