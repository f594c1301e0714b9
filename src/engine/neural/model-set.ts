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

/** For instances without networks. */
export const NO_MODELS: ModelSet = { fine: null, fast: null };

/** A text that changes with every network that could make a picture: a part of the version that decides about reuse of results. */
export function modelsTag({ fine, fast }: ModelSet): string {
  if (fine === null && fast === null) return 'plain';
  const names = [fine && WAIFU2X_MODELS.map(({ sha256 }) => sha256), fast?.name];
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 8);
  return `${fine === null ? 'fast' : 'fine'}-${digest}`;
}
