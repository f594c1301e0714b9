import { createNoise, smoothstep } from './noise.mjs';

/** Height of the tallest tree, metres. */
export const TREE_TOP = 19;
const TREE_CELL = 6.5;
const BOULDER_CELL = 2.1;

/**
 * The terrain around a lake, in metres. The water is at height 0, and the camera near the origin looks along z.
 * @param {{ seed: number, lake: { x: number, z: number, rx: number, rz: number }, peaks: number, forest: number }} scene
 */
export function createLandscape({ seed, lake, peaks, forest }) {
  const noise = createNoise(seed);

  /** Distance of a point from the lake's shore, metres; negative inside the lake. */
  const shoreDistance = (x, z) => {
    const wobble = 1 + 0.16 * noise.value(x / 170 + 3.1, z / 170) + 0.05 * noise.value(x / 41, z / 41 + 9.7);
    const dx = (x - lake.x) / lake.rx;
    const dz = (z - lake.z) / lake.rz;
    return (Math.sqrt(dx * dx + dz * dz) - wobble) * Math.min(lake.rx, lake.rz);
  };

  /** Height of the bare ground, metres. */
  const ground = (x, z, octaves) => {
    const shore = shoreDistance(x, z);
    const bank = shore < 0 ? Math.max(-14, shore * 0.12) : Math.min(shore, 60) * 0.09;
    if (shore < 0) return bank;
    const far = smoothstep(60, 900, shore);
    const massif = smoothstep(350, 3000, z) * smoothstep(-80, 1300, shore);
    const rough = noise.eroded(x / 940 + seed, z / 940, octaves) * 0.95 + 0.34;
    const hills = noise.sum(x / 210, z / 210, 3) * 0.5 + 0.35;
    const land = bank + far * hills * 70 + far * rough * 150 + massif * (rough * 980 * peaks + 60 * peaks);
    // Keeps hollows beyond the shore above the water.
    return Math.max(land, Math.min(shore * 0.09, 2.4));
  };

  /** Density of the forest, 0 to 1. */
  const forestDensity = (x, z, height) => {
    if (height < 1.6 || height > 340) return 0;
    const shore = shoreDistance(x, z);
    const patch = noise.sum(x / 130 + 7, z / 130, 3) + forest;
    const line = 1 - smoothstep(190, 330, height + 110 * noise.value(x / 90, z / 90));
    return smoothstep(-0.12, 0.22, patch) * line * smoothstep(12, 30, shore) * smoothstep(90, 150, z);
  };

  /** Height of the tree tops above the ground: firs as cones, one in a cell, neighbours included. */
  const canopy = (x, z, density) => {
    if (density <= 0) return 0;
    const ci = Math.floor(x / TREE_CELL);
    const cj = Math.floor(z / TREE_CELL);
    let top = 0;
    for (let j = cj - 1; j <= cj + 1; j += 1) {
      for (let i = ci - 1; i <= ci + 1; i += 1) {
        if (noise.cell(i, j, 1) > density) continue;
        const dx = x - (i + 0.15 + 0.7 * noise.cell(i, j, 2)) * TREE_CELL;
        const dz = z - (j + 0.15 + 0.7 * noise.cell(i, j, 3)) * TREE_CELL;
        const size = 0.5 + 0.5 * noise.cell(i, j, 4);
        const height = TREE_TOP * size;
        const across = Math.sqrt(dx * dx + dz * dz) / (3.3 * (0.7 + 0.3 * size));
        if (across >= 1) continue;
        const branches = 0.1 * Math.sin(across * 26 + noise.cell(i, j, 5) * 6 + 3 * Math.atan2(dz, dx));
        top = Math.max(top, height * (1 - across + branches * across));
      }
    }
    return top;
  };

  /** Stones of the near shore, metres above the ground. */
  const stones = (x, z) =>
    domes(x, z, BOULDER_CELL, 0.33) + domes(x * 1.3 + 50, z * 1.3, BOULDER_CELL / 3.1, 0.7) * 0.8;

  const domes = (x, z, size, share) => {
    const ci = Math.floor(x / size);
    const cj = Math.floor(z / size);
    let top = 0;
    for (let j = cj - 1; j <= cj + 1; j += 1) {
      for (let i = ci - 1; i <= ci + 1; i += 1) {
        if (noise.cell(i, j, 6) > share) continue;
        const dx = (x - (i + noise.cell(i, j, 7)) * size) / size;
        const dz = (z - (j + noise.cell(i, j, 8)) * size) / size;
        const turn = noise.cell(i, j, 9) * 3;
        const c = Math.cos(turn);
        const s = Math.sin(turn);
        const radius = 0.3 + 0.55 * noise.cell(i, j, 10) ** 2;
        const a = (dx * c + dz * s) / radius;
        const b = (dz * c - dx * s) / (radius * 0.7);
        const d = a * a * a * a + b * b;
        if (d < 1) top = Math.max(top, Math.sqrt(1 - d) * radius * size * 0.5);
      }
    }
    return top;
  };

  return { noise, shoreDistance, ground, forestDensity, canopy, stones };
}
