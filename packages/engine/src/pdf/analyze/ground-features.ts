/** Side of a tile of the ground, pixels. */
const GROUND_TILE = 16;
/** Least visible pixels of a tile with a level. */
const MIN_GROUND = 32;
/** Rank of the bright level of a tile, as a share of its pixels. */
const BRIGHT = 0.9;
/** Distance from the bright level of a tile within which a pixel belongs to the ground, of 255. */
const GROUND_STEPS = 12;

interface Size {
  width: number;
  height: number;
}

/** Measures the light of the ground of a picture. @param luma of each pixel, 0 to 255 @param seen 1 for each visible pixel */
export function measureGround({ width, height }: Size, luma: Float32Array, seen: Uint8Array) {
  const [across, down] = [Math.max(1, Math.floor(width / GROUND_TILE)), Math.max(1, Math.floor(height / GROUND_TILE))];
  // A tile without enough visible pixels has no level.
  const bright = new Float32Array(across * down).fill(NaN);
  const tileLuma = new Float32Array(GROUND_TILE ** 2);
  let [near, counted, changes, pairs] = [0, 0, 0, 0];
  for (let row = 0; row < down; row += 1)
    for (let column = 0; column < across; column += 1) {
      let length = 0;
      for (let y = row * GROUND_TILE; y < Math.min(height, (row + 1) * GROUND_TILE); y += 1)
        for (let x = column * GROUND_TILE; x < Math.min(width, (column + 1) * GROUND_TILE); x += 1)
          if (seen[y * width + x] !== 0) tileLuma[length++] = luma[y * width + x]!;
      if (length < MIN_GROUND) continue;
      const own = tileLuma.subarray(0, length);
      const level = valueOfRank(own, Math.floor(length * BRIGHT));
      counted += length;
      for (const value of own) if (value > level - GROUND_STEPS) near += 1;
      const tile = row * across + column;
      bright[tile] = level;
      for (const before of [column > 0 && tile - 1, row > 0 && tile - across]) {
        if (before === false || Number.isNaN(bright[before]!)) continue;
        pairs += 1;
        changes += Math.abs(level - bright[before]!);
      }
    }
  const [mean, variance] = meanAndVariance(luma, seen);
  let between = 0;
  for (let row = 0; row < 4; row += 1)
    for (let column = 0; column < 4; column += 1) {
      let [sum, count] = [0, 0];
      for (let y = Math.floor((row * height) / 4); y < Math.floor(((row + 1) * height) / 4); y += 1)
        for (let x = Math.floor((column * width) / 4); x < Math.floor(((column + 1) * width) / 4); x += 1) {
          if (seen[y * width + x] === 0) continue;
          sum += luma[y * width + x]!;
          count += 1;
        }
      if (count > 0) between += (sum / count - mean) ** 2 / 16;
    }
  return {
    ground: changes / Math.max(1, pairs) / Math.max(1, Math.sqrt(variance)),
    near: near / Math.max(1, counted),
    bright: median(bright.filter((level) => !Number.isNaN(level))),
    layout: Math.sqrt(between / Math.max(1, variance)),
  };
}

const median = (values: Float32Array): number => values.sort()[values.length >> 1] ?? 0;

/** The value that as many others are below as the rank says, without sorting all. @param values 0 to 255 */
function valueOfRank(values: Float32Array, rank: number): number {
  const counts = new Uint16Array(256);
  for (const value of values) counts[Math.floor(value)]! += 1;
  let [level, below] = [0, 0];
  while (below + counts[level]! <= rank) below += counts[level++]!;
  return values.filter((value) => Math.floor(value) === level).sort()[rank - below]!;
}

function meanAndVariance(luma: Float32Array, seen: Uint8Array): [mean: number, variance: number] {
  let [sum, count, squares] = [0, 0, 0];
  for (let i = 0; i < luma.length; i += 1)
    if (seen[i] !== 0) {
      sum += luma[i]!;
      count += 1;
    }
  const mean = sum / Math.max(1, count);
  for (let i = 0; i < luma.length; i += 1) if (seen[i] !== 0) squares += (luma[i]! - mean) ** 2;
  return [mean, squares / Math.max(1, count)];
}
