import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { EnhanceOptions } from '../../src/cli/enhance/enhance-options.ts';
import { runEnhance } from '../../src/cli/enhance/enhance.ts';
import { API_KEY, startFakeApi } from '../support/fake-api.ts';
import { folderForFiles, recorder } from './support.ts';

/** Runs `enhance` on a photograph, on a PDF, or on both. @returns its exit code, what it says, and the files it sends */
async function enhance(names: ('photo.jpg' | 'scan.pdf')[], options: Partial<EnhanceOptions>) {
  await using folder = await folderForFiles();
  await using api = await startFakeApi();
  const err = recorder();
  const out = join(folder.path, 'out');
  const content = { 'photo.jpg': undefined, 'scan.pdf': `%PDF-1.7\n${'x'.repeat(25_000)}` };
  const files = await Promise.all(names.map((name) => folder.file(name, content[name])));
  const connect = async () => ({ baseUrl: api.baseUrl, apiKey: API_KEY, close: async () => undefined });
  const code = await runEnhance({ files, out, ...options }, { out: recorder(), err, connect });
  const sent = api.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/uploads');
  return {
    code,
    said: err.text().replaceAll(`${folder.path}/`, ''),
    sent: sent.map(({ query }) => query.get('filename')),
    folders: await readdir(folder.path),
  };
}

test.each([
  [
    'scan.pdf',
    { upscale: 'X2' },
    '--upscale applies to images only, and no image is given. Remove what does not apply.',
  ],
  ['scan.pdf', { mode: 'vivid' }, '--mode applies to images only, and no image is given. Remove what does not apply.'],
  [
    'photo.jpg',
    { dpi: '300', compact: true },
    '--dpi, --compact apply to PDFs only, and no PDF is given. Remove what does not apply.',
  ],
] as const)('%s with %j is refused before anything is sent or written', async (name, options, sentence) => {
  for (const skipUnfit of [false, true]) {
    const { code, said, sent, folders } = await enhance([name], { ...options, skipUnfit });
    expect([code, said, sent, folders]).toEqual([2, `${sentence}\n`, [], [name]]);
  }
});

test('a PDF among images is refused with flags of images alone, since the default would be charged for it', async () => {
  const { code, said, sent } = await enhance(['photo.jpg', 'scan.pdf'], { upscale: 'X2' });
  expect([code, sent]).toEqual([2, []]);
  expect(said).toBe(
    'scan.pdf: --upscale applies to images only. Remove the file, or add --skip-unfit to leave such files out.\n',
  );
});

test('--skip-unfit leaves it out', async () => {
  const { code, said, sent } = await enhance(['scan.pdf', 'photo.jpg'], { upscale: 'X2', skipUnfit: true });
  expect([code, sent]).toEqual([0, ['photo.jpg']]);
  expect(said).toBe('scan.pdf: left out, since --upscale applies to images only.\n');
});

test.each([{}, { upscale: 'X2', dpi: '300' }, { document: true }, { preset: 'web' }])(
  'images and PDFs are sent together with %j',
  async (options) => {
    const { code, said, sent } = await enhance(['photo.jpg', 'scan.pdf'], options);
    expect([code, said, sent.toSorted()]).toEqual([0, '', ['photo.jpg', 'scan.pdf']]);
  },
);
