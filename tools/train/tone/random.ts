/** Random numbers that a seed determines. */
export interface Random {
  /** 0..1 without 1 */
  next(): number;
  between(from: number, to: number): number;
  /** A normal number of a standard deviation */
  normal(deviation: number): number;
}

/** Mulberry32 (Tommy Ettinger, public domain), and normal numbers by Box and Muller. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + (to - from) * next(),
    normal: (deviation) => deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
