/**
 * Mean variation of colour, beyond what a monotonic change needs, from which neighbouring samples count as unrelated
 * colours; 1 is the full range of a channel. The 38 RGB profiles of Debian's colord-data, icc-profiles-free and
 * argyll-ref stay below 0.001, and a table of shuffled colours is above.
 */
const UNRELATED = 0.3;
/** Bytes of an entry of the tag table (ICC.1 section 7.3). */
const TAG_BYTES = 12;
const MAX_TAGS = 1000;
/** Numbers of parameters of a parametric curve by its function type (ICC.1 section 10.18). */
const CURVE_PARAMETERS = [1, 3, 4, 5, 7];

/**
 * Returns whether a profile of one channel maps each sample to its own colour, as a scanner profile with a
 * device-to-colour table does.
 */
export function isScannerTable(profile: Buffer): boolean {
  return profile.toString('latin1', 12, 16) === 'scnr' && findTag(profile, 'A2B0') !== undefined;
}

/**
 * Returns whether neighbouring samples of a profile of three channels are unrelated colours, so that a sample between
 * two others is no colour between theirs. Measures the variation along each axis of its table and of its curves.
 */
export function isColorTable(profile: Buffer): boolean {
  try {
    const table = findTag(profile, 'A2B0');
    if (table !== undefined) return readTable(table).some(isUnrelated);
    const curves = ['rTRC', 'gTRC', 'bTRC'].flatMap((name) => findTag(profile, name) ?? []);
    return curves.some((curve) => isUnrelated(readCurve(curve, 0).grid));
  } catch (error) {
    // A damaged profile is ignored, as viewers do.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Samples of a table at all points of a grid, 0 to 1. The last axis changes fastest. */
interface Grid {
  /** Points on each axis */
  points: readonly number[];
  /** Samples at each point */
  channels: number;
  at: (index: number) => number;
}

/** Returns the data of a tag, without its own signature; undefined without such a tag. */
function findTag(profile: Buffer, name: string): Buffer | undefined {
  if (profile.length < 132) return undefined;
  const tags = Math.min(MAX_TAGS, profile.readUInt32BE(128), Math.floor((profile.length - 132) / TAG_BYTES));
  for (let tag = 0; tag < tags; tag += 1) {
    const at = 132 + tag * TAG_BYTES;
    if (profile.toString('latin1', at, at + 4) !== name) continue;
    const start = profile.readUInt32BE(at + 4);
    return profile.subarray(start, start + profile.readUInt32BE(at + 8));
  }
  return undefined;
}

/** Returns the grids of a table (ICC.1 sections 10.10 to 10.12). @throws RangeError for a damaged one */
function readTable(tag: Buffer): Grid[] {
  const [inputs, outputs] = [tag.readUInt8(8), tag.readUInt8(9)];
  switch (tag.toString('latin1', 0, 4)) {
    case 'mft1':
      return readFixedTable(tag, { start: 48, bytes: 1, entries: 256, outEntries: 256 });
    case 'mft2': {
      const [entries, outEntries] = [tag.readUInt16BE(48), tag.readUInt16BE(50)];
      return readFixedTable(tag, { start: 52, bytes: 2, entries, outEntries });
    }
    case 'mAB ': {
      const [b, m, clut, a] = [12, 20, 24, 28].map((at) => tag.readUInt32BE(at)) as [number, number, number, number];
      const curves = [...readCurves(tag, b, outputs), ...readCurves(tag, m, outputs), ...readCurves(tag, a, inputs)];
      if (clut === 0) return curves;
      const points = Array.from({ length: inputs }, (_, axis) => tag.readUInt8(clut + axis));
      return [...curves, readGrid(tag, clut + 20, points, outputs, tag.readUInt8(clut + 16) === 1 ? 1 : 2)];
    }
    default:
      return [];
  }
}

function readFixedTable(
  tag: Buffer,
  { start, bytes, entries, outEntries }: { start: number; bytes: 1 | 2; entries: number; outEntries: number },
): Grid[] {
  const [inputs, outputs, side] = [tag.readUInt8(8), tag.readUInt8(9), tag.readUInt8(10)];
  const curves = (from: number, count: number, length: number): Grid[] =>
    Array.from({ length: count }, (_, i) => readGrid(tag, from + i * length * bytes, [length], 1, bytes));
  const clut = start + inputs * entries * bytes;
  const points = new Array<number>(inputs).fill(side);
  const after = clut + side ** inputs * outputs * bytes;
  return [
    ...curves(start, inputs, entries),
    readGrid(tag, clut, points, outputs, bytes),
    ...curves(after, outputs, outEntries),
  ];
}

/** @throws RangeError when the table exceeds its tag */
function readGrid(tag: Buffer, start: number, points: readonly number[], channels: number, bytes: 1 | 2): Grid {
  const samples = points.reduce((product, side) => product * side, channels);
  if (start + samples * bytes > tag.length) throw new RangeError('A table of a profile exceeds its data.');
  const at = (i: number): number =>
    bytes === 1 ? tag[start + i]! / 255 : ((tag[start + 2 * i]! << 8) | tag[start + 2 * i + 1]!) / 65_535;
  return { points, channels, at };
}

function readCurves(tag: Buffer, start: number, count: number): Grid[] {
  if (start === 0) return [];
  let at = start;
  return Array.from({ length: count }, () => {
    const { grid, end } = readCurve(tag, at);
    at = end + ((4 - ((end - start) % 4)) % 4);
    return grid;
  });
}

/** Reads a curve of samples. A gamma and a parametric curve are smooth, and have no samples. */
function readCurve(tag: Buffer, start: number): { grid: Grid; end: number } {
  const smooth = { points: [0], channels: 1, at: () => 0 };
  if (tag.toString('latin1', start, start + 4) === 'para')
    return { grid: smooth, end: start + 12 + 4 * (CURVE_PARAMETERS[tag.readUInt16BE(start + 8)] ?? 0) };
  const entries = tag.readUInt32BE(start + 8);
  const end = start + 12 + 2 * entries;
  return { grid: entries < 2 ? smooth : readGrid(tag, start + 12, [entries], 1, 2), end };
}

/** Whether the samples vary along an axis beyond what a monotonic change needs, in the mean of all lines. */
function isUnrelated({ points, channels, at }: Grid): boolean {
  const nodes = points.reduce((product, side) => product * side, 1);
  return points.some((side, axis) => {
    if (side < 3) return false;
    const step = points.slice(axis + 1).reduce((product, other) => product * other, 1);
    for (let channel = 0; channel < channels; channel += 1) {
      let excess = 0;
      for (let node = 0; node < nodes; node += 1) {
        if (Math.floor(node / step) % side !== 0) continue;
        let [low, high, variation, before] = [1, 0, 0, NaN];
        for (let i = 0; i < side; i += 1) {
          const value = at((node + i * step) * channels + channel);
          [low, high] = [Math.min(low, value), Math.max(high, value)];
          if (i > 0) variation += Math.abs(value - before);
          before = value;
        }
        excess += variation - (high - low);
      }
      if (excess / (nodes / side) > UNRELATED) return true;
    }
    return false;
  });
}
