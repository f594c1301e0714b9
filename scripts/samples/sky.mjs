import { createNoise, mixColour, smoothstep } from './noise.mjs';

/**
 * The light of the sky: a gradient, the glow around the sun, and a deck of clouds on a plane.
 *
 * @param {{ seed: number, sun: number[], clouds: number, sunColour: number[] }} scene
 */
export function createSky({ seed, sun, clouds, sunColour }) {
  const noise = createNoise(seed + 1000);

  /** Density of the clouds in a direction, 0 to 1. */
  const density = (x, z) => {
    const warp = 0.7 * noise.sum(x / 2.1, z / 2.1, 2);
    const heap = noise.sum(x / 1.25 + warp, z / 0.9 + warp, 7);
    return smoothstep(0.02 - clouds, 0.5 - clouds, heap);
  };

  /** Radiance in a direction (unit vector that points up). */
  return function sky(dx, dy, dz) {
    const up = Math.max(dy, 0);
    const towards = Math.max(0, dx * sun[0] + dy * sun[1] + dz * sun[2]);
    let colour = mixColour([0.62, 0.72, 0.84], [0.16, 0.31, 0.62], 1 - Math.exp(-up * 3.4));
    const glow = 0.35 * towards ** 6 + 0.8 * towards ** 90;
    colour = colour.map((c, n) => c + glow * sunColour[n] * 0.5);
    if (dy < 0.012) return colour;
    const reach = 1 / (dy + 0.09);
    const x = dx * reach * 1.9;
    const z = dz * reach * 1.9;
    const thick = density(x, z);
    if (thick <= 0) return colour;
    // Light through thinner cloud on its way from the sun produces the bright edge.
    const shade = density(x + sun[0] * 0.22, z + sun[2] * 0.22);
    const lit = Math.exp(-1.5 * shade) * 0.75 + 0.25 * towards ** 3;
    const cloud = [0.5, 0.56, 0.66].map((c, n) => c * 0.75 + lit * sunColour[n] * 0.85);
    return mixColour(colour, cloud, Math.min(1, thick * 1.15) * 0.92 * smoothstep(0.012, 0.11, dy));
  };
}
