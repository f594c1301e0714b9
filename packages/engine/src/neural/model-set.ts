import { createHash } from 'node:crypto';
import { WAIFU2X_MODELS } from './waifu2x-models.ts';

/** The networks available on this machine, as plain data for the children of the sandbox. */
export interface ModelSet {
  /** Folder of the tier `fine` */
  fine: string | null;
  fast: BundledModel | null;
  restore: BundledModel | null;
  detail: BundledModel | null;
}

/** A network that one file contains, beside its description. */
export interface BundledModel {
  /** Path of the ONNX file */
  path: string;
  /** Name in the record of an enhancement */
  name: string;
  /** Margin and tile size as in `TiledNetwork` */
  margin: number;
  tile: number;
  alignment: number;
}

export const NO_MODELS: ModelSet = { fine: null, fast: null, restore: null, detail: null };

/**
 * Returns a tag that differs for every set of networks: the part of the version that determines the reuse of results.
 */
export function modelsTag({ fine, fast, restore, detail }: ModelSet): string {
  if (fine === null && fast === null && restore === null && detail === null) return 'plain';
  const names = [fine && WAIFU2X_MODELS.map(({ sha256 }) => sha256), fast?.name, restore?.name, detail?.name];
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 8);
  return `${fine === null ? 'fast' : 'fine'}-${digest}`;
}
