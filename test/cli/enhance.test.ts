import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { FileOutcome } from '../../src/cli/enhance/enhance-file.ts';
import type { EnhanceOptions } from '../../src/cli/enhance/enhance-options.ts';
import { runEnhance } from '../../src/cli/enhance/enhance.ts';
import { API_KEY, startFakeApi, type Script } from '../support/fake-api.ts';
import { folderForFiles, recorder } from './support.ts';
import { poll } from '../support/poll.ts';

async function setUp(script?: (filename: string) => Script) {
  const folder = await folderForFiles();
  const api = await startFakeApi(script);
  const [out, err] = [recorder(), recorder()];
  const out0 = join(folder.path, 'out');
  let connections = 0;
  let closed = 0;
  const run = (options: Partial<EnhanceOptions> & { files: string[] }, apiKey = API_KEY): Promise<number> =>
    runEnhance(
      { out: out0, ...options },
      {
        out,
        err,
        connect: async () => {
          connections += 1;
          return { baseUrl: api.baseUrl, apiKey, close: async () => void (closed += 1) };
        },
      },
    );
  return {
    folder,
    api,
    out,
    err,
    outFolder: out0,
    run,
    connections: () => connections,
    closed: () => closed,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('files are enhanced with the parameters of their kind, and the exit code is 0', async () => {
  await using t = await setUp();
  const photo = await t.folder.file('photo.jpg');
  const scan = await t.folder.file('scan.pdf', `%PDF-1.7\n${'x'.repeat(25_000)}`);
  const ofImages = {
    width: '1600',
    height: '900',
    fit: 'cover',
    denoise: true,
    faces: true,
    tier: 'fast',
    mode: 'vivid',
  };
  const ofPdfs = {
    dpi: '300',
    colorKinds: 'photograph, scan',
    imageColors: '12=off,14=on',
    pages: '7=keep, 9=drop',
    compact: true,
    allowBreakingSignatures: true,
  };
  expect(await t.run({ files: [photo, scan], ...ofImages, ...ofPdfs })).toBe(0);
  const sent = t.api.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/uploads');
  const byName = Object.fromEntries(
    sent.map(({ query }) => [query.get('filename'), JSON.parse(query.get('enhancements')!)]),
  );
  expect(byName).toEqual({
    'photo.jpg': [
      {
        mode: 'VIVID',
        targetWidth: 1600,
        targetHeight: 900,
        fit: 'COVER',
        noiseReductionProfilingMode: 'AUTO',
        enhanceFaceDetails: 'ENHANCE',
        engineTier: 'FAST',
      },
    ],
    'scan.pdf': [
      {
        targetResolution: 300,
        pdf: {
          colorKinds: ['PHOTOGRAPH', 'SCAN'],
          images: { 12: { color: false }, 14: { color: true } },
          pages: { 7: 'ORIGINAL', 9: 'DROP' },
          compact: true,
          allowBreakingSignatures: true,
        },
      },
    ],
  });
  expect(
    sent.map(({ body, headers }) => [body.length, headers['content-length'], headers['transfer-encoding']]),
  ).toContainEqual([25_000, '25000', undefined]);
  expect(sent.map(({ query }) => query.get('priority'))).toEqual(['BATCH', 'BATCH']);
  expect((await readdir(t.outFolder)).sort()).toEqual(['photo.jpg', 'scan.pdf']);
  expect(t.closed()).toBe(1);
});

test('a folder of results that is not writable is refused before a file is sent', async () => {
  await using t = await setUp();
  const photo = await t.folder.file('photo.jpg');
  // Not even root can write there.
  expect(await t.run({ files: [photo], out: '/sys/kernel' })).toBe(1);
  expect(t.err.text()).toMatch(/^The folder \/sys\/kernel cannot be used: it cannot be written \(E[A-Z]+\)\.\n$/);
  expect([t.connections(), t.api.requests]).toEqual([0, []]);
});

test('a printed size in centimetres is sent with its resolution, and a wrong number names the bounds', async () => {
  await using t = await setUp();
  const photo = await t.folder.file('photo.jpg');
  expect(await t.run({ files: [photo], widthCm: '20.5', heightCm: '13', targetDpi: '240', fit: 'cover' })).toBe(0);
  const [sent] = t.api.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/uploads');
  expect(JSON.parse(sent!.query.get('enhancements')!)).toEqual([
    { targetWidthCm: 20.5, targetHeightCm: 13, targetDpi: 240, fit: 'COVER' },
  ]);
  expect(await t.run({ files: [photo], targetDpi: '300.5' })).toBe(2);
  expect(t.err.text()).toBe('Expected a whole number from 10 to 2400 for --target-dpi but received 300.5.\n');
});

test('--document cleans images and PDFs, and --mode applies to images alone', async () => {
  await using t = await setUp();
  const photo = await t.folder.file('photo.jpg');
  const scan = await t.folder.file('scan.pdf', `%PDF-1.7\n${'x'.repeat(25_000)}`);
  const modesOf = (): unknown[] =>
    t.api.requests
      .filter(({ method, path }) => method === 'POST' && path === '/v1/uploads')
      .map(({ query }) => JSON.parse(query.get('enhancements')!));
  expect(await t.run({ files: [photo], document: true })).toBe(0);
  expect(await t.run({ files: [scan], document: true })).toBe(0);
  expect(t.err.text()).toBe('');
  expect(await t.run({ files: [scan], mode: 'vivid', force: true })).toBe(2);
  expect(modesOf()).toEqual([[{ mode: 'DOCUMENT' }], [{ mode: 'DOCUMENT' }]]);
});

test('the summary is a table with sizes before and after, credits and time', async () => {
  await using t = await setUp();
  await t.run({ files: [await t.folder.file('photo.jpg')] });
  const [header, row] = t.out.text().split('\n').slice(-3);
  expect(header).toMatch(/^File\s+State\s+Pixels\s+Size\s+Credits\s+Time\s+Result$/);
  expect(row).toMatch(
    /photo\.jpg\s+FINISHED\s+640×427 → 1280×854\s+25\.0 kB → 30\.0 kB\s+4\s+[\d.]+ m?s\s+.*out.photo\.jpg$/,
  );
});

test('without a terminal the output is plain lines, without control sequences', async () => {
  const progress = 'event: progress\ndata: {"enhancementId":"enh_0","step":"upscale","fraction":0.5}\n\n';
  await using t = await setUp(() => ({ streams: [`${progress}event: end\ndata: {}\n\n`] }));
  const photo = await t.folder.file('photo.jpg');
  await t.run({ files: [photo] });
  expect(t.out.text()).toContain(`${photo}: upscale\n`);
  expect(t.out.text()).not.toMatch(/[\u001b\r]/);
});

test('one failed file makes the exit code 1, and its reason follows the table', async () => {
  await using t = await setUp((name) =>
    name === 'bad.jpg'
      ? { status: 'ERROR', errorCode: 'CORRUPT_FILE', errorDetail: 'The file is damaged and cannot be read.' }
      : {},
  );
  const files = [await t.folder.file('bad.jpg'), await t.folder.file('good.jpg')];
  expect(await t.run({ files })).toBe(1);
  expect(t.out.text()).toContain('bad.jpg: CORRUPT_FILE: The file is damaged and cannot be read.');
  expect(await readdir(t.outFolder)).toEqual(['good.jpg']);
});

test('folders, pipes and missing files get one sentence each, and neither start an instance nor create the folder of results', async () => {
  await using t = await setUp();
  const missing = join(t.folder.path, 'no.jpg');
  // Without a writer, which would block a reader.
  const pipe = join(t.folder.path, 'pipe.jpg');
  execFileSync('mkfifo', [pipe]);
  expect(await t.run({ files: [t.folder.path, pipe, missing] })).toBe(1);
  expect(t.out.text()).toContain(`${t.folder.path}: This is a folder; name the files in it.`);
  expect(t.out.text()).toContain(`${pipe}: This is not a regular file.`);
  expect(t.out.text()).toContain(`${missing}: There is no such file. Check its path.`);
  expect(t.connections()).toBe(0);
  expect(await readdir(t.folder.path)).not.toContain('out');
});

test.each([
  [{ width: '15' }, 'Expected a whole number from 16 to 65500 for --width but received 15.'],
  [{ mode: 'vivid', document: true }, '--mode and --document set the same parameter. Remove one of them.'],
  [{ upscale: 'X3' }, 'Expected one of X1, X2, X4 for --upscale but received X3.'],
  [{ sharpen: '2' }, 'Expected a number from 0 to 1 for --sharpen but received 2.'],
  [{ quality: 'high' }, 'Expected a whole number from 1 to 100 for --quality but received high.'],
  [{ tier: 'best' }, 'Expected one of AUTO, FINE, FAST, PLAIN, DETAIL for --tier but received best.'],
  [{ dpi: '' }, 'Expected a number from 72 to 1200 for --dpi but received .'],
])('a wrong flag %j is a usage error with exit code 2', async (options, sentence) => {
  await using t = await setUp();
  expect(await t.run({ files: ['photo.jpg'], ...options })).toBe(2);
  expect(t.err.text()).toBe(`${sentence}\n`);
  expect(t.connections()).toBe(0);
});

test('a result never replaces a file: it gets the next free name', async () => {
  await using t = await setUp();
  await mkdir(join(t.folder.path, 'other'));
  await mkdir(t.outFolder);
  await writeFile(join(t.outFolder, 'photo.jpg'), 'mine');
  const files = [await t.folder.file('photo.jpg'), await t.folder.file('other/photo.jpg')];
  expect(await t.run({ files })).toBe(0);
  expect((await readdir(t.outFolder)).sort()).toEqual(['photo-1.jpg', 'photo-2.jpg', 'photo.jpg']);
  expect(await readFile(join(t.outFolder, 'photo.jpg'), 'utf8')).toBe('mine');
});

test('--force replaces an old file, but never a result of the same call', async () => {
  await using t = await setUp();
  await mkdir(join(t.folder.path, 'other'));
  await mkdir(t.outFolder);
  await writeFile(join(t.outFolder, 'photo.jpg'), 'old');
  const files = [await t.folder.file('photo.jpg'), await t.folder.file('other/photo.jpg')];
  expect(await t.run({ files, force: true })).toBe(0);
  expect((await readdir(t.outFolder)).sort()).toEqual(['photo-1.jpg', 'photo.jpg']);
  expect((await readFile(join(t.outFolder, 'photo.jpg'))).length).toBe(30_000);
});

test('an incomplete download is refused and leaves no file', async () => {
  await using t = await setUp(() => ({ missingBytes: 500 }));
  expect(await t.run({ files: [await t.folder.file('photo.jpg')] })).toBe(1);
  expect(t.out.text()).toMatch(/The connection to \S+ was interrupted/);
  expect(await readdir(t.outFolder)).toEqual([]);
});

test('a refused API key is reported in one sentence', async () => {
  await using t = await setUp();
  expect(await t.run({ files: [await t.folder.file('photo.jpg')] }, 'wrong')).toBe(1);
  expect(t.out.text()).toContain('The instance refused the API key. Set a valid key with --api-key.');
});

test('--json writes one document to stdout', async () => {
  await using t = await setUp(() => ({ reusedFrom: 'enh_before' }));
  expect(await t.run({ files: [await t.folder.file('photo.jpg')], json: true })).toBe(0);
  const [outcome] = JSON.parse(t.out.text()) as FileOutcome[];
  expect(outcome).toMatchObject({
    state: 'FINISHED',
    credits: 0,
    reused: true,
    after: { width: 1280, height: 854, size: 30_000 },
  });
});

test('Ctrl-C cancels running work on the instance and exits with 130', async () => {
  await using t = await setUp(() => ({
    hang: true,
    streams: ['event: enhancement\ndata: {"status":"PROCESSING"}\n\n'],
  }));
  const photo = await t.folder.file('photo.jpg');
  const exit = t.run({ files: [photo] });
  await poll(() => t.out.text()).toContain(`${photo}: enhancing`);
  // Only our own listeners hear this; a real signal would reach the test runner as well.
  process.emit('SIGINT', 'SIGINT');
  expect(await exit).toBe(130);
  expect(t.api.of('/cancel')).toHaveLength(1);
  expect(t.out.text()).toMatch(/photo\.jpg\s+CANCELLED/);
  expect(t.closed()).toBe(1);
});
