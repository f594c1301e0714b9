import { inPicture, strongInk, withSolidAsPictures, type InkLevels } from './ink.ts';
import type { PagePlanes } from './page-planes.ts';
import { shareOfPictures, type PaperSurface } from './paper-surface.ts';

/** Strips of a page, side by side: within one, lines that are skewed or drift stay apart. */
const STRIPS = 12;
/** Least strips with lines, and the greatest share of a page in pictures. */
const LINED = { strips: 8, pictures: 0.4 } as const;
/** Lines on a page, and the least pitch, pixels. */
const LINES = { least: 6, most: 160, pitch: 8 } as const;
/** Share of the height over which the ink of lines is compared with their surroundings. */
const AROUND = 0.2;
/** Least variance of the share of ink down a strip. */
const LEAST_VARIANCE = 0.0005;
/** Correlation of a strip with itself: at the pitch of its lines, and the least one before it, between two lines. */
const CORRELATION = { pitch: 0.3, between: -0.2 } as const;

/**
 * Whether ink stands in lines of one pitch down the page, as writing does whose letters touch each other: the autocorrelation of the
 * rows in strips of the page. Objects of a photograph seldom repeat in most strips, with empty space between them, and windows of a
 * front repeat across it as well.
 */
export function showsLines(planes: PagePlanes, levels: InkLevels, surface: PaperSurface): boolean {
  if (shareOfPictures(surface) > LINED.pictures) return false;
  const { down, across } = stripsOfInk(planes, levels, surface);
  return repeats(down) && !repeats(across);
}

/** Whether most strips repeat at one pitch, with empty space between their lines. */
function repeats(strips: readonly Float64Array[]): boolean {
  const inked = strips.flatMap((strip) => autocorrelation(strip) ?? []);
  if (inked.length < LINED.strips) return false;
  const median = Float64Array.from(inked[0]!, (_, lag) => {
    const values = inked.map((strip) => strip[lag]!).sort((one, two) => one - two);
    return values[values.length >> 1]!;
  });
  const between = median.findIndex((value) => value <= CORRELATION.between);
  if (between === -1) return false;
  const from = Math.max(between, LINES.pitch, Math.floor(strips[0]!.length / LINES.most));
  return median.subarray(from).some((value) => value >= CORRELATION.pitch);
}

/** Ink in each row of the strips down the page, and in each column of those across it, as a share. Pictures and thick areas do not count. */
function stripsOfInk(
  { luma, width, height }: PagePlanes,
  levels: InkLevels,
  surface: PaperSurface,
): { down: Float64Array[]; across: Float64Array[] } {
  const dark = strongInk(levels);
  const others = withSolidAsPictures(surface);
  const down = Array.from({ length: STRIPS }, () => new Float64Array(height));
  const across = Array.from({ length: STRIPS }, () => new Float64Array(width));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (luma[y * width + x]! >= dark || inPicture(others, x, y)) continue;
      down[Math.floor((x * STRIPS) / width)]![y]! += STRIPS / width;
      across[Math.floor((y * STRIPS) / height)]![x]! += STRIPS / height;
    }
  }
  return { down, across };
}

/** Autocorrelation of the rows of a strip, by their distance up to a sixth of the page; undefined without enough ink. */
function autocorrelation(strip: Float64Array): Float64Array | undefined {
  const { length } = strip;
  const sums = new Float64Array(length + 1);
  strip.forEach((value, y) => (sums[y + 1] = sums[y]! + value));
  const reach = Math.floor((AROUND * length) / 2);
  const change = strip.map((value, y) => {
    const [from, to] = [Math.max(0, y - reach), Math.min(length, y + reach)];
    return value - (sums[to]! - sums[from]!) / (to - from);
  });
  const variance = change.reduce((sum, value) => sum + value * value, 0) / length;
  if (variance < LEAST_VARIANCE) return undefined;
  return Float64Array.from({ length: Math.floor(length / LINES.least) + 1 }, (_, lag) => {
    let sum = 0;
    for (let y = lag; y < length; y += 1) sum += change[y]! * change[y - lag]!;
    return sum / ((length - lag) * variance);
  });
}
