import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { lumaAt } from '../luma.ts';

/** Columns of the reduced picture, at least, where the picture has as many; and bands of its rows. */
const COLUMNS = 800;
const BANDS = 24;
/** Least width of two pages beside each other, as a multiple of their height. */
const LEAST_ASPECT = 1.05;
/** Part of the width in which a fold lies. */
const MIDDLE = [1 / 3, 2 / 3] as const;
/** Largest tilt of a fold and the step of the search, pixels across for one down; how far it may leave a straight line, share of the width. */
const LINE = { tilt: 0.1, step: 0.005, stray: 0.004 } as const;
/** Part of the column's pixels that is darker than its paper. */
const BELOW_PAPER = 0.88;
/** Where the paper beside a fold lies, shares of the width; its least light, as a share of that of the picture; bands that have it. */
const PAPER = { near: 0.025, far: 0.1, light: 0.5, bands: 0.6 } as const;
/** Half the width of rules and strokes that are no shadow, share of the width. */
const STROKE = 0.005;
/**
 * The shadow of a fold: the least share of the light that it takes in that share of the bands, how much the light bends over
 * that share of the width in a typical band, and the least width of its slopes.
 */
const SHADOW = { depth: 0.08, bands: 0.85, bend: 0.12, over: 0.012, slopes: 0.01 } as const;
/** Largest share of the fold that letters and pictures cross, the change of light that tells them, and rows that are compared. */
const CROSSED = { most: 0.06, by: 0.15, rows: 1 / 40 } as const;

/** The fold between two pages of a picture. */
export interface Fold {
  /** Column at the middle row, pixels */
  at: number;
  /** Pixels to the right for one pixel down */
  tilt: number;
}

/**
 * Finds the fold of an open book: a shadow through the whole height of the middle third, with paper on both sides, that
 * rises gradually and that nothing crosses. A rule, the edge of a sheet and the gap between two columns have no such shadow.
 * @returns undefined for any other picture, and where one of these signs is missing
 */
export function findFold(picture: Picture): Fold | undefined {
  const { width, height } = picture;
  if (width < LEAST_ASPECT * height || height < 4 * BANDS) return undefined;
  const plane = reduce(picture);
  const bands = lightOfBands(plane);
  const line = findShadow(plane, bands);
  if (line === undefined || slopesOf(plane, bands, line) < SHADOW.slopes) return undefined;
  if (crossedShare(plane, bands, line) > CROSSED.most) return undefined;
  return { at: ((line.at + 0.5) * width) / plane.width, tilt: line.tilt };
}

interface Plane {
  width: number;
  height: number;
  /** Luma, samples of 255 */
  luma: Float32Array;
}

/** Means of square blocks. */
function reduce(picture: Picture): Plane {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const step = Math.max(1, Math.floor(width / COLUMNS));
  const [across, down] = [Math.floor(width / step), Math.floor(height / step)];
  const luma = new Float32Array(across * down);
  const scale = 255 / maxSample(picture) / step ** 2;
  for (let y = 0; y < down * step; y += 1) {
    const row = Math.floor(y / step) * across;
    for (let x = 0; x < across * step; x += 1) {
      const from = (y * width + x) * channels;
      luma[row + Math.floor(x / step)]! += lumaAt(data, from, colours) * scale;
    }
  }
  return { width: across, height: down, luma };
}

/** Light by band and column, samples of 255. */
interface Bands {
  /** Light of the paper between the lines of text */
  light: Float32Array;
  /** The same without rules and strokes */
  shade: Float32Array;
  /** Light of the picture */
  bright: number;
}

function lightOfBands(plane: Plane): Bands {
  const { width, height, luma } = plane;
  const [light, shade] = [new Float32Array(BANDS * width), new Float32Array(BANDS * width)];
  const stroke = Math.round(STROKE * width);
  for (let band = 0; band < BANDS; band += 1) {
    const [top, bottom] = [band, band + 1].map((edge) => Math.floor((edge * height) / BANDS)) as [number, number];
    const column = new Float32Array(bottom - top);
    const row = light.subarray(band * width, (band + 1) * width);
    for (let x = 0; x < width; x += 1) {
      for (let y = top; y < bottom; y += 1) column[y - top] = luma[y * width + x]!;
      row[x] = quantile(column, BELOW_PAPER);
    }
    const most = mostAround(row, stroke);
    const negative = mostAround(
      most.map((value) => -value),
      stroke,
    );
    shade.set(
      negative.map((value) => -value),
      band * width,
    );
  }
  return { light, shade, bright: quantile(light.slice(), 0.9) };
}

/** Sorts the values in place. */
function quantile(values: Float32Array, part: number): number {
  return values.sort()[Math.min(values.length - 1, Math.floor(part * values.length))]!;
}

/** The greatest value within a distance of each place; places without a value stay so. */
function mostAround(values: Float32Array, reach: number): Float32Array {
  return values.map((own, x) => {
    let most = own;
    for (let near = Math.max(0, x - reach); near <= Math.min(values.length - 1, x + reach); near += 1)
      if (values[near]! > most) most = values[near]!;
    return most;
  });
}

const clamped = (x: number, width: number): number => Math.min(width - 1, Math.max(0, x));

const columnAt = ({ at, tilt }: Fold, { height }: Plane, y: number): number => at + tilt * (y - height / 2);

const columnOfBand = (line: Fold, plane: Plane, band: number): number =>
  Math.round(columnAt(line, plane, ((band + 0.5) * plane.height) / BANDS));

/** Light of the darker side beside a place. @returns undefined where it is too dark for paper */
function paperBeside({ shade, bright }: Bands, { width }: Plane, band: number, x: number): number | undefined {
  const sides = [-1, 1].map((side) => {
    const near: number[] = [];
    for (let away = Math.round(PAPER.near * width); away <= PAPER.far * width; away += 2)
      near.push(shade[band * width + clamped(x + side * away, width)]!);
    return quantile(Float32Array.from(near), 0.7);
  });
  const darker = Math.min(...sides);
  return darker >= PAPER.light * bright ? darker : undefined;
}

/** Finds the line with a shadow at which the light bends most: the shadow alone is too wide for a place. */
function findShadow(plane: Plane, bands: Bands): Fold | undefined {
  const { width } = plane;
  const margin = Math.ceil((LINE.tilt * plane.height) / 2);
  const [from, to] = [Math.floor(MIDDLE[0] * width), Math.ceil(MIDDLE[1] * width)];
  const stray = Math.max(1, Math.round(LINE.stray * width));
  const over = Math.max(2, Math.round(SHADOW.over * width));
  const rows = Array.from({ length: BANDS }, (_, band) => {
    const [depths, bends, creases] = [0, 0, 0].map(() => new Float32Array(width).fill(Number.NaN)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const row = band * width;
    for (let x = Math.max(over, from - margin); x <= Math.min(width - 1 - over, to + margin); x += 1) {
      const paper = paperBeside(bands, plane, band, x);
      if (paper === undefined) continue;
      const bend = (values: Float32Array): number =>
        (values[row + x - over]! + values[row + x + over]! - 2 * values[row + x]!) / paper;
      depths[x] = 1 - bands.shade[row + x]! / paper;
      bends[x] = bend(bands.shade);
      creases[x] = bend(bands.light);
    }
    return [mostAround(depths, stray), mostAround(bends, stray), creases];
  });
  // Most pictures have no shadow at all, and then the search for its line is needless.
  const shaded = rows.filter(([depths, bends]) => depths!.some((depth, x) => depth >= SHADOW.depth && bends![x]! > 0));
  if (shaded.length < Math.floor(PAPER.bands * SHADOW.bands * BANDS)) return undefined;
  let best: (Fold & { crease: number }) | undefined;
  for (let step = -Math.round(LINE.tilt / LINE.step); step <= LINE.tilt / LINE.step; step += 1) {
    for (let at = from; at <= to; at += 1) {
      const line = { at, tilt: step * LINE.step };
      const places = rows.flatMap((values, band) => {
        const here = values.map((value) => value[columnOfBand(line, plane, band)]!);
        return Number.isNaN(here[0]!) ? [] : [here];
      });
      if (places.length < PAPER.bands * BANDS) continue;
      const typical = (of: number, part: number): number =>
        quantile(
          Float32Array.from(places, (each) => each[of]!),
          part,
        );
      if (typical(0, 1 - SHADOW.bands) < SHADOW.depth || typical(1, 0.4) < SHADOW.bend) continue;
      const crease = typical(2, 0.4);
      if (crease > (best?.crease ?? 0)) best = { ...line, crease };
    }
  }
  return best;
}

/** Width of the slopes of a shadow, from a fifth to four fifths of its depth, as a share of the width of the picture. */
function slopesOf(plane: Plane, { shade }: Bands, line: Fold): number {
  const { width } = plane;
  const reach = Math.round(PAPER.far * width);
  const profile = Array.from({ length: 2 * reach + 1 }, (_, k) => {
    const values = Array.from({ length: BANDS }, (_, band) => {
      const x = columnOfBand(line, plane, band) + k - reach;
      return shade[band * width + clamped(x, width)]!;
    });
    return quantile(Float32Array.from(values), 0.5);
  });
  const darkest = Math.min(...profile.slice(reach - 4, reach + 5));
  const side = (values: readonly number[]): number => {
    const paper = quantile(Float32Array.from(values), 0.8);
    const shares = values.map((value) => (value - darkest) / (paper - darkest));
    const end = shares.findIndex((share) => share >= 0.8);
    return shares.slice(0, Math.max(0, end)).filter((share) => share >= 0.2).length;
  };
  return (side(profile.slice(0, reach + 1).toReversed()) + side(profile.slice(reach))) / width;
}

/** Share of the rows beside paper in which something crosses the fold. */
function crossedShare(plane: Plane, bands: Bands, line: Fold): number {
  const { width, height, luma } = plane;
  const reach = Math.max(4, Math.round(height * CROSSED.rows));
  const isPaper = Array.from(
    { length: BANDS },
    (_, band) => paperBeside(bands, plane, band, columnOfBand(line, plane, band)) !== undefined,
  );
  const shares = [-1, 0, 1].map((away) => {
    const along = Float32Array.from({ length: height }, (_, y) => {
      const x = Math.round(columnAt(line, plane, y) + away * LINE.stray * width);
      return luma[y * width + clamped(x, width)]!;
    });
    let [crossed, rows] = [0, 0];
    for (let y = 0; y < height; y += 1) {
      if (!isPaper[Math.min(BANDS - 1, Math.floor((y * BANDS) / height))]) continue;
      rows += 1;
      const usual = quantile(along.slice(Math.max(0, y - reach), y + reach + 1), 0.5);
      if (Math.abs(along[y]! / Math.max(1, usual) - 1) > CROSSED.by) crossed += 1;
    }
    return crossed / rows;
  });
  return Math.max(...shares);
}
