/** A training picture: its histograms, and the shift that they have. */
export interface ShiftSample {
  histograms: readonly Float32Array[];
  /** Bins of the shift by row and by column, in fractions */
  shift: readonly [number, number];
  weight: number;
}

export interface FilterOptions {
  columns: number;
  /** Penalties of the squares of the weights and of their differences */
  decay: number;
  roughness: number;
  /** Standard deviation in bins of the wanted distribution of shifts */
  spread: number;
  rounds: number;
}

/** Gradients that L-BFGS remembers, and the least part of a step (Nocedal and Wright, Numerical Optimization, 7.2). */
const [MEMORY, LEAST_STEP] = [8, 1e-3];

/** A histogram without its empty bins. */
interface Sparse {
  bins: Uint16Array;
  values: Float32Array;
}

/**
 * Fits a filter for each histogram, so that the softmax of their convolution is the distribution of shifts.
 * @returns the filters, one after the other
 */
export function fitFilters(samples: readonly ShiftSample[], options: FilterOptions): Float32Array {
  const size = samples[0]!.histograms[0]!.length;
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  const prepared = samples.map(({ histograms, shift, weight }) => ({
    channels: histograms.map(sparse),
    wanted: distributionAt(shift, size, options),
    weight: weight / total,
  }));
  const length = samples[0]!.histograms.length * size;

  const measure = (filters: Float64Array): { loss: number; gradient: Float64Array } => {
    const gradient = new Float64Array(length);
    let loss = roughness(filters, gradient, size, options);
    const twice = repeated(filters, options.columns);
    for (const { channels, wanted, weight } of prepared) {
      const sums = new Float64Array(size);
      channels.forEach((channel, n) => convolve(channel, twice, n * size, sums, options.columns));
      const most = sums.reduce((a, b) => Math.max(a, b));
      let all = 0;
      for (let i = 0; i < size; i += 1) all += Math.exp(sums[i]! - most);
      const slopes = new Float64Array(size);
      for (let i = 0; i < size; i += 1) {
        const chance = Math.exp(sums[i]! - most) / all;
        if (wanted[i] !== 0) loss -= weight * wanted[i]! * (sums[i]! - most - Math.log(all));
        slopes[i] = weight * (chance - wanted[i]!);
      }
      const back = repeated(slopes, options.columns);
      channels.forEach((channel, n) => correlate(channel, back, gradient, n * size, options.columns));
    }
    return { loss, gradient };
  };
  return Float32Array.from(minimize(measure, length, options.rounds));
}

function sparse(histogram: Float32Array): Sparse {
  const bins = Uint16Array.from(histogram.keys()).filter((bin) => histogram[bin] !== 0);
  return { bins, values: Float32Array.from(bins, (bin) => histogram[bin]!) };
}

/** A normal distribution around a shift, on rows and columns that begin again. */
function distributionAt(
  [down, right]: readonly [number, number],
  size: number,
  { columns, spread }: FilterOptions,
): Float32Array {
  const rows = size / columns;
  const distance = (line: number, to: number, lines: number): number => {
    const away = Math.abs(line - to) % lines;
    return Math.min(away, lines - away);
  };
  const chances = Float32Array.from({ length: size }, (_, bin) => {
    const y = rows === 1 ? 0 : distance(Math.floor(bin / columns), down, rows);
    const x = distance(bin % columns, right, columns);
    const value = Math.exp(-(y * y + x * x) / (2 * spread * spread));
    return value < 1e-6 ? 0 : value;
  });
  const sum = chances.reduce((a, b) => a + b);
  return chances.map((value) => value / sum);
}

/** Adds to sums the filter at a place, moved by each bin. @param twice the filters, with each row repeated at its end */
function convolve(
  { bins, values }: Sparse,
  twice: Float64Array,
  at: number,
  sums: Float64Array,
  columns: number,
): void {
  const rows = sums.length / columns;
  for (let k = 0; k < bins.length; k += 1) {
    const [down, right, value] = [(bins[k]! / columns) | 0, bins[k]! % columns, values[k]!];
    for (let row = 0; row < rows; row += 1) {
      const to = (row + down < rows ? row + down : row + down - rows) * columns;
      const from = 2 * (at + row * columns) + columns - right;
      for (let column = 0; column < columns; column += 1) sums[to + column]! += value * twice[from + column]!;
    }
  }
}

/** Adds to the gradient of a filter the slopes, moved back by each bin. @param twice the slopes, with each row repeated at its end */
function correlate(
  { bins, values }: Sparse,
  twice: Float64Array,
  gradient: Float64Array,
  at: number,
  columns: number,
): void {
  const rows = twice.length / (2 * columns);
  for (let k = 0; k < bins.length; k += 1) {
    const [down, right, value] = [(bins[k]! / columns) | 0, bins[k]! % columns, values[k]!];
    for (let row = 0; row < rows; row += 1) {
      const from = 2 * (row + down < rows ? row + down : row + down - rows) * columns + right;
      const to = at + row * columns;
      for (let column = 0; column < columns; column += 1) gradient[to + column]! += value * twice[from + column]!;
    }
  }
}

/** Returns values whose rows are repeated at their end. */
function repeated(values: Float64Array, columns: number): Float64Array {
  const twice = new Float64Array(2 * values.length);
  for (let at = 0; at < values.length; at += columns) {
    twice.set(values.subarray(at, at + columns), 2 * at);
    twice.set(values.subarray(at, at + columns), 2 * at + columns);
  }
  return twice;
}

/** Adds the gradients of both penalties. @returns their loss */
function roughness(
  filters: Float64Array,
  gradient: Float64Array,
  size: number,
  { columns, decay, roughness: part }: FilterOptions,
): number {
  let loss = 0;
  const rows = size / columns;
  const penalize = (a: number, b: number): void => {
    const difference = filters[a]! - filters[b]!;
    loss += (part * difference * difference) / 4;
    gradient[a]! += (part * difference) / 2;
    gradient[b]! -= (part * difference) / 2;
  };
  for (let i = 0; i < filters.length; i += 1) {
    loss += decay * filters[i]! ** 2;
    gradient[i]! += 2 * decay * filters[i]!;
    const [start, bin] = [i - (i % size), i % size];
    penalize(i, start + (bin - (bin % columns)) + ((bin + 1) % columns));
    if (rows > 1) penalize(i, start + ((bin + columns) % size));
  }
  return loss;
}

function minimize(
  measure: (x: Float64Array) => { loss: number; gradient: Float64Array },
  length: number,
  rounds: number,
): Float64Array {
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const moved = (a: Float64Array, b: Float64Array, by: number): Float64Array => a.map((value, i) => value + by * b[i]!);
  let x: Float64Array = new Float64Array(length);
  let { loss, gradient }: { loss: number; gradient: Float64Array } = measure(x);
  const steps: { step: Float64Array; change: Float64Array }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let direction: Float64Array = gradient.slice();
    const parts: number[] = [];
    for (const { step, change } of steps.toReversed()) {
      const part = dot(step, direction) / dot(change, step);
      parts.push(part);
      direction = moved(direction, change, -part);
    }
    const last = steps.at(-1);
    const scale = last === undefined ? 50 : dot(last.step, last.change) / dot(last.change, last.change);
    direction = direction.map((value) => value * scale);
    for (const { step, change } of steps)
      direction = moved(direction, step, parts.pop()! - dot(change, direction) / dot(change, step));
    const slope = dot(gradient, direction);
    for (let length = 1; ; length /= 2) {
      const next = moved(x, direction, -length);
      const found = measure(next);
      if (found.loss >= loss - 1e-4 * length * slope && length > LEAST_STEP) continue;
      steps.push({ step: moved(next, x, -1), change: moved(found.gradient, gradient, -1) });
      if (steps.length > MEMORY) steps.shift();
      [x, loss, gradient] = [next, found.loss, found.gradient];
      break;
    }
    if (round % 10 === 0) console.log(`round ${round}: loss ${loss.toFixed(4)}`);
  }
  return x;
}
