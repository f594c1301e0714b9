import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { appendFile, copyFile, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, expect, test } from '@jest/globals';
import { resolveImageParameters } from '@burnish/contract';
import type { createSandbox as CreateSandbox } from '../../src/sandbox/sandbox.ts';
import { buildPdf, imagePage } from '../../packages/pdf/test/build-pdf.ts';
import { jpx } from '../../packages/engine/test/pdf/encoders.ts';
import { photograph } from '../../packages/engine/test/pdf/pictures.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';
import { detectMediaType } from '../../packages/engine/src/detect.ts';
import { TASKS } from '../../packages/engine/src/tasks.ts';
import { repositoryRoot } from '../support/repository.ts';
import { setup } from '../../scripts/setup.mjs';

await setup({ quiet: true });
const dist = join(repositoryRoot, 'dist');
const engine = join(dist, 'node_modules', '@burnish', 'engine');
const fixtures = join(repositoryRoot, 'packages', 'engine', 'test', 'fixtures');
const scratch = await scratchFolder();
const { createSandbox } = (await import(pathToFileURL(join(dist, 'sandbox', 'sandbox.js')).href)) as {
  createSandbox: typeof CreateSandbox;
};
const sandbox = createSandbox({ concurrency: 1, scratchDir: scratch('.') });
afterAll(() => sandbox.close());
const account = { account: 'one' };

test('a child of the build starts with few files, because each of them costs CPU time at each start', async () => {
  const program = `const { prepare } = require(${JSON.stringify(join(engine, 'child', 'tasks.cjs'))});
    prepare().then(() => console.log(JSON.stringify(Object.keys(require.cache))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  const files = JSON.parse(stdout) as string[];
  // Most are those of sharp and its semver. Unbundled, the engine alone has 62 files.
  expect(files.length).toBeLessThan(100);
  expect(files.filter((file) => file.startsWith(engine)).length).toBeLessThan(30);
});

test('the bundle loads each task', async () => {
  const program = `const { TASKS } = require(${JSON.stringify(join(engine, 'child', 'tasks.cjs'))});
    Promise.all(Object.values(TASKS).map((load) => load())).then((all) => console.log(all.length, new Set(all.map((run) => typeof run)).size));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  expect(stdout).toBe(`${Object.keys(TASKS).length} 1\n`);
});

test('tasks find the decoders of HEIC and JPEG 2000, the renderer of pages and the network of faces from the bundle', async () => {
  await copyFile(join(fixtures, 'patches.heic'), scratch('in.heic'));
  const heic = await sandbox.run('inspect-image', { inputPath: scratch('in.heic') }, account);
  expect(heic.mimetype).toBe('image/heic');

  const [width, height] = [240, 180];
  const image = {
    dict: `/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/Filter/JPXDecode`,
    data: await jpx(photograph(width, height, 3)),
  };
  await writeFile(scratch('in.pdf'), buildPdf(imagePage(image, 240, 180)));
  for (const [task, more] of [
    ['preview-pdf-image', { number: 10 }],
    ['preview-pdf-page', { page: 1 }],
  ] as const) {
    const outputPath = scratch(`${task}.webp`);
    const input = { inputPath: scratch('in.pdf'), outputPath, side: 100, ...more };
    await sandbox.run(task, input, account);
    expect(await detectMediaType(await readFile(outputPath))).toBe('image/webp');
  }

  const parameters = resolveImageParameters({ enhanceFaceDetails: 'ENHANCE' });
  const dark = await sharp(join(fixtures, 'portrait.jpg')).gamma(1, 1.6).linear(0.6).png().toBuffer();
  await writeFile(scratch('in.png'), dark);
  const faces = { inputPath: scratch('in.png'), outputPath: scratch('out.png'), parameters };
  expect((await sandbox.run('enhance-image', faces, account)).steps).toContain('faces');
});

test('an update under a running process makes work wait for its restart, and mixes no versions', async () => {
  const copy = await mkdtemp(join(repositoryRoot, '.cache', 'updated-'));
  await cp(dist, copy, { recursive: true });
  const child = join(copy, 'node_modules', '@burnish', 'engine', 'child');
  const { createSandbox: createCopy } = (await import(pathToFileURL(join(copy, 'sandbox', 'sandbox.js')).href)) as {
    createSandbox: typeof CreateSandbox;
  };
  const old = createCopy({ concurrency: 2, scratchDir: scratch('.') });
  try {
    await writeFile(
      scratch('page.pdf'),
      buildPdf(imagePage({ dict: '/Width 1/Height 1', data: Buffer.of(0) }, 99, 99)),
    );
    await copyFile(join(fixtures, 'portrait.jpg'), scratch('portrait.jpg'));
    const inspect = (name: string): Promise<{ mimetype: string }> =>
      old.run('inspect-image', { inputPath: scratch('portrait.jpg') }, { account: name });
    const render = (): Promise<unknown> =>
      old.run(
        'preview-pdf-page',
        { inputPath: scratch('page.pdf'), outputPath: scratch('p'), side: 9, page: 1 },
        account,
      );
    await inspect('one');

    const [page] = (await readdir(child)).filter((name) => name.startsWith('preview-page-'));
    await rename(join(child, page!), join(child, 'other'));
    await appendFile(join(child, 'tasks.cjs'), '// another version');
    const waits = { code: 'UNAVAILABLE', machinery: 'worker', message: expect.stringContaining('Restart it.') };
    await expect(render()).rejects.toMatchObject(waits);
    await expect(inspect('two')).rejects.toMatchObject(waits);

    await copyFile(join(engine, 'child', 'tasks.cjs'), join(child, 'tasks.cjs'));
    // The pool may have tried to start the next child ahead.
    expect(await inspect('two').catch(() => inspect('two'))).toMatchObject({ mimetype: 'image/jpeg' });
  } finally {
    await old.close();
    await rm(copy, { recursive: true });
  }
});
