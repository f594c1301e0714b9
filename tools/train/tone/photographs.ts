import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../../../bench/quality/photographs.ts';
import { toneSquare } from '../../../packages/engine/src/image/steps/tone-square.ts';
import { toneThumbnail } from '../../../packages/engine/src/image/steps/tone-thumbnail.ts';

/** A good photograph. */
export interface Photograph {
  kind: string;
  /** Three planes of a square, coded values 0..1 */
  planes: Float32Array;
}

/** Longest side of a photograph before it is measured, pixels. */
const LOADED = 400;
/** How often a kind is drawn: portraits are many and alike, moody scenes are few. */
const WEIGHTS: Record<string, number> = {
  headshot: 0.35,
  night: 3,
  stage: 2,
  sunset: 3,
  golden: 2,
  fog: 3,
  snow: 2,
  flash: 2,
  product: 0.7,
};
/** Kinds that look as they should at any exposure, and those of them that show no scene. */
const STILL = ['product', 'objects', 'documents', 'drawings', 'screenshots'];
const DRAWN = ['documents', 'drawings', 'screenshots'];

export const weightOf = ({ kind }: Photograph): number => WEIGHTS[kind] ?? 1;
export const isStill = ({ kind }: Photograph): boolean => STILL.includes(kind);
export const isScene = ({ kind }: Photograph): boolean => !DRAWN.includes(kind);

/** Loads the photographs of training that `photographs.csv` lists, as far as they lie in the folder. */
export async function loadPhotographs(folder: string): Promise<Photograph[]> {
  const found: Photograph[] = [];
  for (const { file, kind } of listed()) {
    const loaded = await load(join(folder, file), LOADED).catch(() => undefined);
    if (loaded === undefined) continue;
    const thumbnail = toneThumbnail({ ...loaded, channels: 3, space: 'rgb', hasAlpha: false });
    found.push({ kind, planes: toneSquare(thumbnail).coded });
  }
  return found;
}

/** Files and kinds of the photographs of training: the first fields have no quotes. */
function listed(): { file: string; kind: string }[] {
  const lines = readFileSync(new URL('photographs.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  const fields = lines.map((line) => line.split(',', 4));
  return fields.flatMap(([file, , split, kind]) => (split === 'train' ? [{ file: file!, kind: kind! }] : []));
}
