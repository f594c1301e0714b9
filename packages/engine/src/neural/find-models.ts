import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PACKAGE_FOLDER } from '../package-folder.ts';
import { NO_MODELS, type BundledModel, type ModelSet } from './model-set.ts';
import type { DoublingTier } from './plan-doublings.ts';
import { WAIFU2X_MODELS } from './waifu2x-models.ts';

const MODELS = fileURLToPath(new URL('models/', PACKAGE_FOLDER));
const BundledDescription = z.object({
  name: z.string(),
  file: z.string().regex(/^[a-z0-9]+\.onnx$/),
  margin: z.int().min(0).max(64),
  tile: z.int().min(16).max(512),
  alignment: z.int().min(1).max(8),
  sha256: z.string(),
  /** Present for the work of others */
  source: z.string().optional(),
});

/**
 * Returns the networks up to a tier. It never fails: without networks, other methods replace them.
 * @param best the best tier to use
 * @param report receives a sentence about damaged networks
 * @param folder of all networks
 */
export async function findModels(
  best: DoublingTier,
  report: (sentence: string) => void,
  folder: string = MODELS,
): Promise<ModelSet> {
  if (best === 'plain') return NO_MODELS;
  const fine = join(folder, 'waifu2x');
  const missing = (name: string, loss: string): null => {
    report(`Networks are missing or damaged in ${join(folder, name)}, so ${loss}. Install Burnish again.`);
    return null;
  };
  const isFineThere = best === 'fine' && (await hasWaifu2x(fine));
  if (best === 'fine' && !isFineThere) missing('waifu2x', 'the tier FINE is not available');
  return {
    fine: isFineThere ? fine : null,
    fast: (await findModel(join(folder, 'fast'))) ?? missing('fast', 'the tier FAST is not available'),
    restore:
      (await findModel(join(folder, 'restore'))) ?? missing('restore', 'strong JPEG compression is not repaired'),
    detail:
      best === 'fine'
        ? ((await findModel(join(folder, 'detail'))) ?? missing('detail', 'the tier DETAIL is not available'))
        : null,
  };
}

/** Returns whether a folder contains every network of the tier `fine` with the expected hash. */
async function hasWaifu2x(folder: string): Promise<boolean> {
  const found = await Promise.all(
    WAIFU2X_MODELS.map(async ({ file, sha256 }) => {
      const bytes = await readFile(join(folder, file)).catch(() => undefined);
      return bytes !== undefined && sha256Of(bytes) === sha256;
    }),
  );
  return found.every(Boolean);
}

/** @returns null for a network that is missing, or has another hash than its description */
async function findModel(folder: string): Promise<BundledModel | null> {
  try {
    const text = await readFile(join(folder, 'model.json'), 'utf8');
    const { name, file, sha256, source, ...tiling } = BundledDescription.parse(JSON.parse(text));
    const path = join(folder, file);
    if (sha256Of(await readFile(path)) !== sha256) return null;
    return { path, name: `${source ? '' : 'burnish-'}${name}-${sha256.slice(0, 8)}`, ...tiling };
  } catch {
    return null;
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
