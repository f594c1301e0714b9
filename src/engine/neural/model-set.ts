import { createHash } from 'node:crypto';
import { WAIFU2X_MODELS } from './waifu2x-models.ts';

/** The networks available on this machine, as plain data for the children of the sandbox. */
export interface ModelSet {
  /** Folder of the tier `fine` */
  fine: string | null;
  fast: FastModel | null;
}

export interface FastModel {
  /** Path of the ONNX file */
  path: string;
  /** Name in the record of an enhancement */
  name: string;
  /** Margin and tile size as in `TiledNetwork` */
  margin: number;
  tile: number;
  alignment: number;
}

/** The set of an instance without networks. */
export const NO_MODELS: ModelSet = { fine: null, fast: null };

/**
 * Returns a tag that differs for every set of networks: the part of the version that determines the reuse of results.
 */
export function modelsTag({ fine, fast }: ModelSet): string {
  if (fine === null && fast === null) return 'plain';
  const names = [fine && WAIFU2X_MODELS.map(({ sha256 }) => sha256), fast?.name];
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 8);
  return `${fine === null ? 'fast' : 'fine'}-${digest}`;
}
