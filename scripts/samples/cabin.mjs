/**
 * A wooden cabin with a gable roof, the only object in the landscape with straight edges and a strong colour. Rays intersect
 * slabs (walls) and planes (roof), in the cabin's own axes.
 * @param {{ x: number, y: number, z: number, turn: number }} place metres, radians
 */
export function createCabin({ x, y, z, turn }) {
  const [w, h, d, ridge] = [6.2, 4, 4.4, 3.4];
  const c = Math.cos(turn);
  const s = Math.sin(turn);

  /** @returns {{ t: number, normal: number[], colour: number[] } | undefined} the nearest hit of a ray */
  return function hitCabin(ox, oy, oz, dx, dy, dz) {
    const p = [(ox - x) * c + (oz - z) * s, oy - y, (oz - z) * c - (ox - x) * s];
    const v = [dx * c + dz * s, dy, dz * c - dx * s];
    const along = -(p[0] * v[0] + p[2] * v[2]) / (v[0] * v[0] + v[2] * v[2]);
    const missX = p[0] + v[0] * along;
    const missZ = p[2] + v[2] * along;
    if (missX * missX + missZ * missZ > 80) return undefined;
    let best;
    const offer = (t, normal, colourAt) => {
      if (!(t > 0.01) || (best && best.t <= t)) return;
      const colour = colourAt(p[0] + v[0] * t, p[1] + v[1] * t, p[2] + v[2] * t);
      if (colour)
        best = { t, normal: [normal[0] * c - normal[2] * s, normal[1], normal[0] * s + normal[2] * c], colour };
    };
    for (const side of [-1, 1]) {
      offer((side * w - p[0]) / v[0], [side, 0, 0], (_, b, a) =>
        Math.abs(a) < d && b > -3 && b < h + ridge * (1 - Math.abs(a) / d) ? wall(a, b, d) : undefined,
      );
      offer((side * d - p[2]) / v[2], [0, 0, side], (a, b) =>
        Math.abs(a) < w && b > -3 && b < h ? wall(a, b, w) : undefined,
      );
      const slope = ridge / d;
      // The roof: height = h + 0.25 + ridge - slope * |z|, standing out over the walls.
      const t = (h + 0.25 + ridge - side * slope * p[2] - p[1]) / (v[1] + side * slope * v[2]);
      const length = Math.hypot(1, slope);
      offer(t, [0, 1 / length, (side * slope) / length], (a, b, e) =>
        Math.abs(a) < w + 0.6 && side * e >= 0 && side * e < d + 0.7 ? roof(a, side * e) : undefined,
      );
    }
    return best;
  };
}

function wall(a, b, half) {
  if (Math.abs(Math.abs(a) - half) < 0.22 || b < 0.3) return [0.62, 0.6, 0.56];
  const across = Math.abs(Math.abs(a) - half * 0.5);
  if (b > 1.1 && b < 2.6 && across < 0.75) {
    const frame = across > 0.58 || b < 1.26 || b > 2.44 || across < 0.06 || Math.abs(b - 1.85) < 0.06;
    return frame ? [0.72, 0.71, 0.68] : [0.03, 0.035, 0.045];
  }
  const board = 0.85 + 0.15 * Math.sin(a * 14);
  return [0.42 * board, 0.06 * board, 0.04 * board];
}

function roof(a, e) {
  const tiles = 0.8 + 0.2 * Math.sin(e * 9) + 0.1 * Math.sin(a * 7);
  return [0.085 * tiles, 0.08 * tiles, 0.085 * tiles];
}
