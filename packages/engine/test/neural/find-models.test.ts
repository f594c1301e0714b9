import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findModels } from '../../src/neural/find-models.ts';
import { NO_MODELS } from '../../src/neural/model-set.ts';
import { WAIFU2X_MODELS } from '../../src/neural/waifu2x-models.ts';
import { repositoryRoot } from '../../../../test/support/repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

async function find(best: 'fine' | 'fast' | 'plain', folder?: string) {
  const said: string[] = [];
  return { models: await findModels(best, (sentence) => said.push(sentence), folder), said };
}

test('the repository contains every network, and nothing is reported', async () => {
  const { models, said } = await find('fine');
  expect(models.fine).toBe(join(repositoryRoot, 'packages', 'engine', 'models', 'waifu2x'));
  expect([models.fast?.name, models.restore?.name, models.detail?.name]).toEqual([
    expect.stringMatching(/^burnish-fast-[0-9a-f]{8}$/),
    expect.stringMatching(/^burnish-restore-[0-9a-f]{8}$/),
    expect.stringMatching(/^realesr-general-x4v3-[0-9a-f]{8}$/),
  ]);
  expect(said).toEqual([]);
});

test('a lower tier omits the networks of the tiers above it', async () => {
  const [fine, fast, plain] = [await find('fine'), await find('fast'), await find('plain')];
  expect(fast).toEqual({ models: { ...fine.models, fine: null, detail: null }, said: [] });
  expect(plain).toEqual({ models: NO_MODELS, said: [] });
});

test('a missing or damaged network of the tier FINE leaves the tier FAST, and one sentence reports it', async () => {
  await using folder = await temporaryFolder();
  await cp(join(repositoryRoot, 'packages', 'engine', 'models'), folder.path, { recursive: true });
  const intact = await find('fine', folder.path);
  expect([intact.models.fine, intact.said]).toEqual([join(folder.path, 'waifu2x'), []]);

  const file = join(folder.path, 'waifu2x', WAIFU2X_MODELS[2]!.file);
  const bytes = await readFile(file);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(file, bytes);
  const damaged = await find('fine', folder.path);
  await rm(file);
  const missing = await find('fine', folder.path);
  for (const { models, said } of [damaged, missing]) {
    expect(models).toEqual({ ...intact.models, fine: null });
    expect(said).toEqual([
      `Networks are missing or damaged in ${join(folder.path, 'waifu2x')}, so the tier FINE is not available. Install Burnish again.`,
    ]);
  }
});

test.each([
  ['fast', 'the tier FAST is not available'],
  ['restore', 'strong JPEG compression is not repaired'],
  ['detail', 'the tier DETAIL is not available'],
] as const)('a missing or damaged network in %s leaves the others, and one sentence reports it', async (name, loss) => {
  await using folder = await temporaryFolder();
  await cp(join(repositoryRoot, 'packages', 'engine', 'models'), folder.path, { recursive: true });
  const { models: intact } = await find('fine', folder.path);
  const { path } = intact[name]!;
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
  const damaged = await find('fine', folder.path);
  await rm(path);
  for (const { models, said } of [damaged, await find('fine', folder.path)]) {
    expect(models).toEqual({ ...intact, [name]: null });
    expect(said).toEqual([
      `Networks are missing or damaged in ${join(folder.path, name)}, so ${loss}. Install Burnish again.`,
    ]);
  }
});
