import { TREE_TOP } from './landscape.mjs';
import { smoothstep } from './noise.mjs';

/**
 * Follows a ray until it hits the terrain, with short steps among trees and long steps in the air.
 * @returns the distance of the hit, or undefined without a hit before `limit` (metres)
 */
export function march({ land }, from, ray, pixel, limit) {
  let t = 0.6;
  let last;
  for (let n = 0; n < 600 && t < limit; n += 1) {
    const x = from[0] + ray[0] * t;
    const y = from[1] + ray[1] * t;
    const z = from[2] + ray[2] * t;
    if (y > 1500 && ray[1] > 0) return undefined;
    const bare = land.ground(x, z, t > 900 ? 7 : 5);
    let gap = y - bare;
    let tree = 0;
    let stride = 0.45;
    if (t < 70) gap -= stonesAt(land, x, z, bare);
    else if (gap < TREE_TOP + 2 && gap > 0) {
      tree = land.canopy(x, z, land.forestDensity(x, z, bare));
      gap -= tree;
      stride = 0.2;
    } else gap -= TREE_TOP;
    if (gap < pixel * t * 0.5 && (tree > 0 || y - bare < pixel * t + 2)) return { t, x, z, bare, tree };
    last = { t, x, z, bare, tree };
    t += Math.max(gap * stride, pixel * t * (tree > 0 || stride < 0.3 ? 0.9 : 0.6), 0.02);
  }
  // A ray that uses all its steps near the tree tops counts as a hit.
  return t < limit ? last : undefined;
}

/** Height of the stones above the ground, metres: only on the near shore. */
export function stonesAt(land, x, z, bare) {
  return bare < -1.5 ? 0 : land.stones(x, z) * smoothstep(60, 40, z) * (1 - 0.75 * smoothstep(1.2, 2.4, bare));
}

/** Height of everything at a place, metres: ground, stones, trees. */
export function surface(land, x, z, t) {
  const bare = land.ground(x, z, t < 120 ? 8 : 10);
  if (t < 70) return bare + stonesAt(land, x, z, bare) + 0.02 * land.noise.sum(x * 3.1, z * 3.1, 4);
  return bare + land.canopy(x, z, land.forestDensity(x, z, bare));
}
