import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDevEnvironment } from '../../../test/support/dev-server.ts';
import { poll } from '../../../test/support/poll.ts';
import { RUNTIME, tarballOf } from '../../../test/support/public-packages.ts';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { syntheticPhotograph } from './support/photograph.ts';

const execute = promisify(execFile);
const readme = await readFile(join(repositoryRoot, 'packages/engine/README.md'), 'utf8');
const folder = await temporaryFolder();
const place = join(folder.path, 'empty');
const packages = join(place, 'node_modules');
const installed = join(packages, '@burnish', 'engine');

/** Installs the tarball by the command of the README. */
beforeAll(async () => {
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{"type":"module"}');
  for (const tarball of [tarballOf('engine'), tarballOf(RUNTIME)]) await cp(tarball, join(place, basename(tarball)));
  const [, command] = /```sh\n(.*?)\n```/s.exec(readme)!;
  await execute('sh', ['-c', command!], { cwd: place });
}, 300_000);
afterAll(() => folder[Symbol.asyncDispose]());

async function link(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const target = join(packages, name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(repositoryRoot, 'node_modules', name), target);
  }
}

const pictureOf = async (width: number, height: number): Promise<Buffer> => {
  const { data } = syntheticPhotograph(width, height);
  return await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();
};

describe('the tarball, in an empty folder', () => {
  it('has code, types, fonts, networks and terms, and no sources', async () => {
    expect((await readdir(installed)).sort()).toEqual(
      ['LICENSE', 'README.md', 'dist', 'docs', 'examples', 'fonts', 'models', 'package.json'].sort(),
    );
    expect(await readdir(join(installed, 'dist'))).toEqual(expect.arrayContaining(['THIRD-PARTY.md', 'types']));
  });

  it('needs no install script, and takes no more than the README says', async () => {
    const lock = await readFile(join(packages, '.package-lock.json'), 'utf8');
    expect(lock).not.toContain('hasInstallScript');
    const entries = await readdir(packages, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
    expect(megabytes).toBeLessThanOrEqual(Number(/takes (\d+) MB/.exec(readme)![1]));
  });

  it('runs the program of the README, with the networks', async () => {
    const [, name, code] = /```js file=(\S+)\n(.*?)```/s.exec(readme)!;
    await writeFile(join(place, name!), code!);
    await writeFile(join(place, 'in.jpg'), await pictureOf(60, 40));
    const { stdout, stderr } = await execute(process.execPath, [name!, 'in.jpg', 'out.jpg'], { cwd: place });
    expect(stderr).toBe('');
    expect(stdout).toBe('60 × 40 pixels became 120 × 80\n');
    const script = `
      const { enhanceImage, findModels } = await import('@burnish/engine');
      const models = await findModels('fast', console.error);
      const made = await enhanceImage({ inputPath: 'in.jpg', outputPath: 'net.jpg', parameters: { upscalingFactor: 'X2' }, models });
      console.log(made.fellBack, made.models.length > 0);`;
    const used = await execute(process.execPath, ['--input-type=module', '--eval', script], { cwd: place });
    expect(used.stdout).toBe('false true\n');
    expect(await sharp(join(place, 'out.jpg')).metadata()).toMatchObject({ width: 120, height: 80, format: 'jpeg' });
  }, 60_000);

  it('has types that a compiler with its own settings accepts', async () => {
    await link(['@types/node']);
    await writeFile(
      join(place, 'program.ts'),
      `import { analyzePdf, enhancePdf } from '@burnish/engine';
       import { mediaKind, type EnhancementParameters } from '@burnish/engine/contract';
       import { TASK_FILES } from '@burnish/engine/host';
       import { TASKS } from '@burnish/engine/tasks';
       const { findings } = await analyzePdf({ inputPath: 'in.pdf' });
       const wanted: EnhancementParameters = { targetResolution: 300 };
       const done = await enhancePdf({ inputPath: 'in.pdf', outputPath: 'out.pdf', parameters: wanted });
       const counts: [number, number, 'image' | 'pdf'] = [findings.pages, done.enhanced, mediaKind('image/png')];
       console.log(counts, TASKS, TASK_FILES['inspect-image'].reads);`,
    );
    const tsc = join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const settings = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--noEmit', '--types', 'node'];
    await expect(execute(process.execPath, [tsc, ...settings, 'program.ts'], { cwd: place })).resolves.toMatchObject({
      stdout: '',
    });
  }, 120_000);

  it('works in the activity of another Temporal worker, with heartbeats and cancellation', async () => {
    await link(['worker', 'workflow', 'activity', 'client', 'common'].map((name) => `@temporalio/${name}`));
    await cp(join(installed, 'examples'), place, { recursive: true });
    await using dev = await createDevEnvironment();
    const { client, address } = dev.environment;
    const worker = spawn(process.execPath, ['worker.mjs', address], {
      cwd: place,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    worker.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const start = (workflowId: string, inputPath: string, outputPath: string) =>
      client.workflow.start('enhanceFile', {
        taskQueue: 'images',
        workflowId,
        args: [
          {
            inputPath: join(place, inputPath),
            outputPath: join(place, outputPath),
            enhancement: { upscalingFactor: 'X4' },
          },
        ],
      });
    try {
      await writeFile(join(place, 'small.jpg'), await pictureOf(60, 40));
      await writeFile(join(place, 'large.jpg'), await pictureOf(2400, 1600));
      const small = await start('small', 'small.jpg', 'small-out.jpg');
      expect(await small.result()).toMatchObject({ width: 240, height: 160 });

      await writeFile(join(place, 'broken.jpg'), (await pictureOf(60, 40)).subarray(0, 700));
      const broken = await start('broken', 'broken.jpg', 'broken-out.jpg');
      await expect(broken.result()).rejects.toMatchObject({ cause: { cause: { type: 'CORRUPT_FILE' } } });

      const large = await start('large', 'large.jpg', 'large-out.jpg');
      const heartbeat = poll(async () => (await large.describe()).raw.pendingActivities?.[0]?.heartbeatDetails ?? null);
      await heartbeat.not.toBeNull();
      await large.cancel();
      await expect(large.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      const outputs = (await readdir(place)).filter((name) => name.includes('-out.jpg'));
      expect(outputs).toEqual(['small-out.jpg']);
    } catch (error) {
      throw new Error(`The worker wrote: ${errors}`, { cause: error });
    } finally {
      worker.kill('SIGTERM');
    }
  }, 180_000);
});

it('the README has at most 300 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(300);
});
