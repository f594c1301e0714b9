import { lineWidth, type PagePlanes } from './page-planes.ts';

/** Lengths in line widths: of a stretch that counts as a rule, of the mean along it, and of the distance to the paper beside it. */
const LENGTH = { rule: 48, mean: 2, beside: 2 } as const;
/** Least share of a stretch that is darker than the paper on both sides, and by how much, levels of 255. */
const DARKER = { share: 0.9, by: 12 } as const;
/** Level of 255 from which noise can break a rule. */
const PALE = 100;
/** Largest difference of a pixel from the mean of its rule, levels of 255. Letters that cross the rule differ by more. */
const NOISE = 24;

/** Pixels of a direction: their number along and across, and the steps between them in a plane. */
interface Direction {
  along: number;
  across: number;
  step: number;
  next: number;
}

/**
 * Finds horizontal and vertical rules, also faint ones: long stretches that are darker than both sides. Makes each as even as
 * its mean over a stretch, in place, so that noise breaks no rule into dashes.
 * @returns 1 for pixels of rules
 */
export function findRules(planes: PagePlanes): Uint8Array {
  const { luma, width, height } = planes;
  const rules = new Uint8Array(luma.length);
  const line = lineWidth(planes);
  markRules(luma, rules, { along: width, across: height, step: 1, next: width }, line);
  markRules(luma, rules, { along: height, across: width, step: width, next: 1 }, line);
  return rules;
}

function markRules(luma: Uint8Array, rules: Uint8Array, direction: Direction, line: number): void {
  const { along, across, step, next } = direction;
  const length = LENGTH.rule * line;
  const beside = LENGTH.beside * line + 1;
  if (along < length) return;
  const means = Array.from({ length: 2 * beside + 1 }, () => new Float32Array(along));
  const meanOf = (at: number): Float32Array => means[at % means.length]!;
  for (let at = 0; at < Math.min(across, 2 * beside); at += 1)
    smoothLine(luma, at * next, step, meanOf(at), LENGTH.mean * line);
  const darker = new Uint8Array(along);
  const lines: { from: number; marked: Uint8Array }[] = [];
  for (let at = beside; at < across - beside; at += 1) {
    smoothLine(luma, (at + beside) * next, step, meanOf(at + beside), LENGTH.mean * line);
    const [here, above, below] = [meanOf(at), meanOf(at - beside), meanOf(at + beside)];
    for (let k = 0; k < along; k += 1) darker[k] = here[k]! + DARKER.by <= Math.min(above[k]!, below[k]!) ? 1 : 0;
    const marked = findStretches(darker, length);
    if (marked !== undefined) lines.push({ from: at * next, marked });
  }
  for (const { from, marked } of lines) evenOut(luma, rules, { from, step, marked }, length);
}

/** Mean of the pixels up to `reach` before and after each one. */
function smoothLine(luma: Uint8Array, from: number, step: number, into: Float32Array, reach: number): void {
  const { length } = into;
  let [sum, count] = [0, 0];
  for (let k = 0; k < length + reach; k += 1) {
    if (k < length) {
      sum += luma[from + k * step]!;
      count += 1;
    }
    if (k > 2 * reach) {
      sum -= luma[from + (k - 2 * reach - 1) * step]!;
      count -= 1;
    }
    if (k >= reach) into[k - reach] = sum / count;
  }
}

/** Marks the stretches that are darker almost everywhere. @returns undefined where there is none */
function findStretches(darker: Uint8Array, length: number): Uint8Array | undefined {
  let marked: Uint8Array | undefined;
  let [sum, until] = [0, 0];
  for (let k = 0; k < darker.length; k += 1) {
    sum += darker[k]! - (k >= length ? darker[k - length]! : 0);
    if (k < length - 1 || sum < DARKER.share * length) continue;
    marked ??= new Uint8Array(darker.length);
    let [first, last] = [Math.max(until, k - length + 1), k];
    while (darker[first] === 0 && first < last) first += 1;
    while (darker[last] === 0 && last > first) last -= 1;
    marked.fill(1, first, last + 1);
    until = last + 1;
  }
  return marked;
}

/** Gives the pixels of a pale rule the mean around them, except where something crosses it. */
function evenOut(
  luma: Uint8Array,
  rules: Uint8Array,
  { from, step, marked }: { from: number; step: number; marked: Uint8Array },
  length: number,
): void {
  const [sums, counts] = [new Float64Array(marked.length + 1), new Float64Array(marked.length + 1)];
  for (let k = 0; k < marked.length; k += 1) {
    sums[k + 1] = sums[k]! + marked[k]! * luma[from + k * step]!;
    counts[k + 1] = counts[k]! + marked[k]!;
  }
  for (let k = 0; k < marked.length; k += 1) {
    if (marked[k] === 0) continue;
    const [first, last] = [Math.max(0, k - (length >> 1)), Math.min(marked.length, k + (length >> 1))];
    const mean = (sums[last]! - sums[first]!) / (counts[last]! - counts[first]!);
    const at = from + k * step;
    rules[at] = 1;
    if (luma[at]! >= PALE && Math.abs(luma[at]! - mean) <= NOISE) luma[at] = mean;
  }
}
