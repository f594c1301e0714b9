import { colourChannels, type Picture } from '../picture.ts';
import { findComponents } from './marks.ts';

/** Levels of 255 that count as ink up to the first, and as paper from the second on; others are greys, dark ones up to the middle. */
const LEVELS = { ink: 34, paper: 238, middle: 128, pale: 204 } as const;
/** Largest share of greys, and of pale ones, in the pixels of ink. */
const MOST = { greys: 0.005, pale: 0.05 } as const;
/** Largest difference between the channels of a grey pixel, of 255. */
const GREY = 20;

/**
 * Returns a page with one level of ink on white where it has hardly another: one bit a pixel shows it as it is.
 * @param picture a clean page of 8 bits, grey or RGB
 * @returns undefined for a page with colours or greys, and where a mark of ink would be lost
 */
export function inTwoTones(picture: Picture): Picture | undefined {
  const { data, width, height, channels } = picture;
  if (colourChannels(picture) !== channels || data instanceof Uint16Array) return undefined;
  const levels = new Uint8Array(width * height);
  let [ink, greys, pale, sum] = [0, 0, 0, 0];
  for (let pixel = 0, at = 0; pixel < levels.length; pixel += 1, at += channels) {
    const [red, green, blue] = [data[at]!, data[at + (channels >> 1)]!, data[at + channels - 1]!];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > GREY) return undefined;
    const level = (red + 2 * green + blue) >> 2;
    levels[pixel] = level;
    if (level <= LEVELS.ink) {
      ink += 1;
      sum += level;
    } else if (level <= LEVELS.pale) greys += 1;
    else if (level < LEVELS.paper) pale += 1;
  }
  if (ink === 0 || greys > MOST.greys * ink || pale > MOST.pale * ink) return undefined;
  if (losesMark(levels, width, height)) return undefined;
  const level = Math.round(sum / ink);
  const toned = new Uint8Array(data.length);
  for (let pixel = 0, at = 0; pixel < levels.length; pixel += 1, at += channels)
    toned.fill(levels[pixel]! < LEVELS.middle ? level : 255, at, at + channels);
  return { ...picture, data: toned };
}

/** Whether some mark that is darker than paper has no pixel that stays dark. */
function losesMark(levels: Uint8Array, width: number, height: number): boolean {
  const { rows, starts, ends, component, count } = findComponents(width, height, (at) => levels[at]! < LEVELS.paper);
  const kept = new Uint8Array(count);
  for (let run = 0; run < rows.length; run += 1) {
    const row = rows[run]! * width;
    if (levels.subarray(row + starts[run]!, row + ends[run]!).some((level) => level < LEVELS.middle))
      kept[component[run]!] = 1;
  }
  return kept.includes(0);
}
