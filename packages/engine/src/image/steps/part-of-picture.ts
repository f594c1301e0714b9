import type { Picture } from '../picture.ts';
import type { LocalLight } from './local-light.ts';

/** A rectangle of a picture, in parts of its sides, 0 to 1. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A part of a picture at a scale of its own, whose tone changes as that of the whole. */
export interface PartOfPicture {
  picture: Picture;
  /** Where it lies in the whole */
  area: Area;
}

/** Cells of a side of the maps of a part: the maps of a whole picture have some hundred for all of it. */
const CELLS = 24;

/** Returns the local gain of a part, interpolated from that of the whole. */
export function lightOfPart(light: LocalLight, area: Area): LocalLight {
  const across = positions(area.left, area.width, light.width);
  const down = positions(area.top, area.height, light.height);
  const cut = (map: Float32Array): Float32Array => {
    const cells = new Float32Array(CELLS * CELLS);
    for (let y = 0, to = 0; y < CELLS; y += 1) {
      const [upper, lower, along] = down[y]!;
      for (let x = 0; x < CELLS; x += 1, to += 1) {
        const [left, right, part] = across[x]!;
        const above = mix(map[upper * light.width + left]!, map[upper * light.width + right]!, part);
        const below = mix(map[lower * light.width + left]!, map[lower * light.width + right]!, part);
        cells[to] = mix(above, below, along);
      }
    }
    return cells;
  };
  return {
    ...light,
    width: CELLS,
    height: CELLS,
    slope: cut(light.slope),
    offset: cut(light.offset),
    floor: cut(light.floor),
    smooth: light.smooth.map(cut),
    gains: cut(light.gains),
  };
}

const mix = (from: number, to: number, part: number): number => from + (to - from) * part;

/** Places of the cells of a part between the centres of the cells of the whole: the cell before, the next one, and the way to it. */
function positions(start: number, length: number, cells: number): [before: number, next: number, part: number][] {
  return Array.from({ length: CELLS }, (_, i) => {
    const at = Math.min(cells - 1, Math.max(0, (start + (length * (i + 0.5)) / CELLS) * cells - 0.5));
    const before = Math.floor(at);
    return [before, Math.min(cells - 1, before + 1), at - before];
  });
}
