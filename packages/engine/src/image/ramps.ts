/** Returns 0 up to 0, 1 from 1, and a smooth step between them. */
export function smoothStep(value: number): number {
  const t = value < 0 ? 0 : value > 1 ? 1 : value;
  return t * t * (3 - 2 * t);
}

/** Returns 0 up to the first value, 1 from the second, and the share of the way between them. */
export function ramp(value: number, [from, to]: readonly [number, number]): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
