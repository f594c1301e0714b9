import type { Picture } from '../../image/picture.ts';
import type { OnPart } from '../../image/progress.ts';
import { packIndexes, quantised, type Paletted } from './palette.ts';

const MOST_COLOURS = 256;

/**
 * Codes a clean page or a drawing of few colours by a palette, which needs fewer bytes than its samples, and makes no noise
 * around letters as a JPEG does.
 * @param picture 8-bit grey or RGB
 * @returns undefined when 256 colours would differ visibly from the picture
 */
export async function byPalette(picture: Picture, onPart?: OnPart): Promise<Paletted | undefined> {
  return (await exactPalette(picture, onPart)) ?? quantised(picture, onPart);
}

/** @returns undefined when the picture has more colours than a palette */
async function exactPalette({ data, width, height, channels }: Picture, onPart: OnPart): Promise<Paletted | undefined> {
  const places = new Map<number, number>();
  const indices = new Uint8Array(width * height);
  const entries: number[] = [];
  const second = channels === 3 ? 1 : 0;
  for (let at = 0, from = 0; at < indices.length; at += 1, from += channels) {
    const rgb = [data[from]!, data[from + second]!, data[from + channels - 1]!] as const;
    const colour = (rgb[0] << 16) | (rgb[1] << 8) | rgb[2];
    let place = places.get(colour);
    if (place === undefined) {
      if (places.size === MOST_COLOURS) return undefined;
      place = places.size;
      places.set(colour, place);
      entries.push(...rgb);
    }
    indices[at] = place;
  }
  return packIndexes({ data: indices, width, height }, Buffer.from(entries), onPart);
}
