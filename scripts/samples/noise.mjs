/** Reproducible random numbers from 0 to 1 (mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Normally distributed numbers (Box and Muller). */
export function gaussianNumbers(seed) {
  const random = randomNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Smooth step from 0 at `low` to 1 at `high`. */
export function smoothstep(low, high, x) {
  const t = Math.max(0, Math.min(1, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

export function mix(a, b, t) {
  return a + (b - a) * t;
}

export function mixColour(a, b, t) {
  return [mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)];
}

const SIDE = 256;

/**
 * Gradient-free lattice noise between -1 and 1, its slopes, and sums of its octaves.
 * The eroded sum follows Inigo Quilez, "Value noise derivatives": octaves fade where the ground is already steep.
 */
export function createNoise(seed) {
  const random = randomNumbers(seed);
  const lattice = Float32Array.from({ length: SIDE * SIDE }, () => random() * 2 - 1);
  const at = (i, j) => lattice[((j & (SIDE - 1)) << 8) | (i & (SIDE - 1))];

  const value = (x, y) => {
    const i = Math.floor(x);
    const j = Math.floor(y);
    const u = x - i;
    const v = y - j;
    const su = u * u * u * (u * (u * 6 - 15) + 10);
    const sv = v * v * v * (v * (v * 6 - 15) + 10);
    const a = at(i, j);
    const b = at(i, j + 1);
    const top = a + (at(i + 1, j) - a) * su;
    return top + (b + (at(i + 1, j + 1) - b) * su - top) * sv;
  };

  const sum = (x, y, octaves) => {
    let total = 0;
    let gain = 0.5;
    for (let n = 0; n < octaves; n += 1) {
      total += gain * value(x, y);
      gain *= 0.5;
      [x, y] = [1.6 * x + 1.2 * y + 17.3, -1.2 * x + 1.6 * y + 41.7];
    }
    return total;
  };

  const eroded = (x, y, octaves) => {
    let total = 0;
    let gain = 0.5;
    let slopeX = 0;
    let slopeY = 0;
    for (let n = 0; n < octaves; n += 1) {
      const i = Math.floor(x);
      const j = Math.floor(y);
      const u = x - i;
      const v = y - j;
      const su = u * u * u * (u * (u * 6 - 15) + 10);
      const sv = v * v * v * (v * (v * 6 - 15) + 10);
      const du = 30 * u * u * (u * (u - 2) + 1);
      const dv = 30 * v * v * (v * (v - 2) + 1);
      const a = at(i, j);
      const ba = at(i + 1, j) - a;
      const ca = at(i, j + 1) - a;
      const dd = a - at(i + 1, j) - at(i, j + 1) + at(i + 1, j + 1);
      slopeX += du * (ba + dd * sv);
      slopeY += dv * (ca + dd * su);
      total += (gain * (a + ba * su + ca * sv + dd * su * sv)) / (1 + slopeX * slopeX + slopeY * slopeY);
      gain *= 0.5;
      const next = 1.6 * x + 1.2 * y + 17.3;
      y = -1.2 * x + 1.6 * y + 41.7;
      x = next;
    }
    return total;
  };

  /** Reproducible random number from 0 to 1 for a cell. */
  const cell = (i, j, salt) =>
    (lattice[(((j + salt * 57) & (SIDE - 1)) << 8) | ((i + salt * 131) & (SIDE - 1))] + 1) / 2;

  return { value, sum, eroded, cell };
}
