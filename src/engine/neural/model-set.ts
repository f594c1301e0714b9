import { createHash } from 'node:crypto';
import { WAIFU2X_MODELS } from './waifu2x-models.ts';

/** The networks that this machine has, as plain data: it travels to the children of the sandbox. */
export interface ModelSet {
  /** Folder of the tier `fine` */
  fine: string | null;
  fast: FastModel | null;
}

export interface FastModel {
  /** Path of the ONNX file */
  path: string;
  /** As the record of an enhancement names it */
  name: string;
  /** As in `TiledNetwork` */
  margin: number;
  tile: number;
  alignment: number;
}

/** For where no network is wanted. */
export const NO_MODELS: ModelSet = { fine: null, fast: null };

/** A word that differs wherever another network could make a picture: part of the version under which results are reused. */
export function modelsTag({ fine, fast }: ModelSet): string {
  if (fine === null && fast === null) return 'plain';
  const names = [fine && WAIFU2X_MODELS.map(({ sha256 }) => sha256), fast?.name];
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 8);
  return `${fine === null ? 'fast' : 'fine'}-${digest}`;
}
