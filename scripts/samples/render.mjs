import { createCabin } from './cabin.mjs';
import { createLandscape, TREE_TOP } from './landscape.mjs';
import { march, stonesAt, surface } from './march.mjs';
import { mixColour, smoothstep } from './noise.mjs';
import { createSky } from './sky.mjs';

const FAR = 9_000;

/**
 * Renders a mountain lake by ray marching over a height field (after Inigo Quilez, "Terrain raymarching").
 * @param {object} scene see scenes.mjs
 * @param {{ width: number, height: number, samples: number }} size pixels, and samples a pixel along one side
 * @returns {Float32Array} linear light, RGB
 */
export function renderScene(scene, { width, height, samples }) {
  const land = createLandscape(scene);
  const azimuth = scene.sunAzimuth;
  const sun = unit([Math.sin(azimuth), scene.sunHeight, Math.cos(azimuth)]);
  const sky = createSky({ ...scene, sun });
  const cabin = scene.cabin && createCabin(scene.cabin);
  const world = { scene, land, sun, sky, cabin };

  const pixels = new Float32Array(width * height * 3);
  const { eye, pitch, yaw, field } = scene.camera;
  const scale = (2 * Math.tan(field / 2)) / width;
  const [cp, sp, cy, sy] = [Math.cos(pitch), Math.sin(pitch), Math.cos(yaw), Math.sin(yaw)];
  for (let j = 0; j < height; j += 1) {
    for (let i = 0; i < width; i += 1) {
      const at = (j * width + i) * 3;
      for (let n = 0; n < samples * samples; n += 1) {
        const x = (i + ((n % samples) + 0.5) / samples - width / 2) * scale;
        const y = (height / 2 - j - (Math.floor(n / samples) + 0.5) / samples) * scale;
        const ry = y * cp + sp;
        const rz = cp - y * sp;
        const ray = unit([x * cy + rz * sy, ry, rz * cy - x * sy]);
        const light = radiance(world, eye, ray, scale / samples, true);
        for (let c = 0; c < 3; c += 1) pixels[at + c] += light[c] / (samples * samples);
      }
    }
  }
  return pixels;
}

function unit(v) {
  const length = Math.hypot(v[0], v[1], v[2]);
  return [v[0] / length, v[1] / length, v[2] / length];
}

/**
 * Computes the light along a ray.
 * @param pixel width of a pixel at distance 1
 */
function radiance(world, from, ray, pixel, water) {
  const toWater = ray[1] < 0 ? -from[1] / ray[1] : Infinity;
  const hit = march(world, from, ray, pixel, Math.min(toWater + 1, FAR));
  const box = world.cabin?.(...from, ...ray);
  if (box && box.t < (hit?.t ?? toWater)) return haze(world, ray, box.t, wallLight(world, from, ray, box));
  if (hit && hit.t < toWater) return haze(world, ray, hit.t, groundLight(world, from, ray, hit, pixel));
  if (water && toWater < FAR) return haze(world, ray, toWater, waterLight(world, from, ray, toWater, pixel));
  return world.sky(...ray);
}

function sunShadow({ land, sun }, x, y, z, t) {
  let light = 1;
  const start = Math.max(0.25, t * 0.004);
  for (let s = start, n = 0; n < 46 && s < 2_500; n += 1) {
    const px = x + sun[0] * s;
    const pz = z + sun[2] * s;
    const py = y + sun[1] * s;
    const bare = land.ground(px, pz, 5);
    let gap = py - bare;
    if (t < 70) gap -= stonesAt(land, px, pz, bare);
    else if (gap < TREE_TOP && gap > 0) gap -= land.canopy(px, pz, land.forestDensity(px, pz, bare));
    light = Math.min(light, 0.5 + (9 * gap) / s);
    if (light <= 0) return 0;
    s += Math.max(start, Math.abs(gap) * 0.5, s * 0.06);
  }
  return smoothstep(0, 1, light);
}

function groundLight(world, from, ray, hit, pixel) {
  const { land, scene } = world;
  const { x, z, t, bare } = hit;
  const step = Math.max(0.04, pixel * t * 0.8);
  const high = surface(land, x, z, t);
  const slopeX = (surface(land, x + step, z, t) - high) / step;
  const slopeZ = (surface(land, x, z + step, t) - high) / step;
  const normal = unit([-slopeX, 1, -slopeZ]);
  const { noise } = land;
  const fine = noise.sum(x / 9, z / 9, 5);
  const grain = noise.sum(x * 1.7, z * 1.7, 4);

  let colour = mixColour([0.13, 0.11, 0.095], [0.27, 0.245, 0.22], 0.5 + fine + 0.4 * grain);
  let ambient = 1;
  if (hit.tree > 0.4) {
    const tint = noise.sum(x / 14 + 5, z / 14, 3);
    colour = mixColour([0.035, 0.06, 0.026], [0.12, 0.125, 0.035], smoothstep(-0.35, 0.4, tint + 0.25 * grain));
    ambient = 0.35 + 0.65 * smoothstep(0, TREE_TOP * 0.6, hit.tree);
  } else if (t < 70) {
    const wet = smoothstep(0.35, 0.02, high);
    const stone = noise.sum(x / 1.4, z / 1.4, 2);
    colour = mixColour([0.15, 0.138, 0.122], [0.33, 0.305, 0.27], 0.45 + 1.3 * stone + 0.9 * grain);
    const turf = smoothstep(0.5, 1.7, bare + 1.1 * fine) * (1 - smoothstep(0.12, 0.26, high - bare));
    const blades = noise.sum(x * 9, z * 3, 3);
    colour = mixColour(colour, mixColour([0.07, 0.1, 0.025], [0.27, 0.26, 0.08], 0.5 + blades + fine), turf);
    colour = colour.map((c) => c * (1 - 0.55 * wet));
    ambient = 0.5 + 0.5 * smoothstep(0, 0.35, high - bare + 0.15 + 0.6 * turf);
  } else {
    const flat = smoothstep(0.55, 0.85, normal[1]);
    const meadow = mixColour([0.07, 0.095, 0.028], [0.2, 0.175, 0.07], 0.45 + 1.1 * fine + 0.5 * grain);
    colour = mixColour(colour, meadow, flat * (1 - smoothstep(240, 520, bare + 140 * fine)));
    const snow =
      smoothstep(scene.snowLine, scene.snowLine + 260, bare + 190 * fine) *
      smoothstep(0.42, 0.68, normal[1] + 0.2 * grain);
    colour = mixColour(colour, [0.74, 0.78, 0.84], snow);
  }
  return shade(world, colour, normal, ray, sunShadow(world, x, high + 0.02, z, t), ambient);
}

function wallLight(world, from, ray, box) {
  const p = from.map((o, n) => o + ray[n] * box.t);
  const facing = box.normal[0] * ray[0] + box.normal[1] * ray[1] + box.normal[2] * ray[2];
  const normal = facing > 0 ? box.normal.map((n) => -n) : box.normal;
  return shade(world, box.colour, normal, ray, sunShadow(world, p[0], p[1] + 4, p[2], box.t), 0.9);
}

function shade({ sun, scene }, colour, normal, ray, shadow, ambient) {
  const direct = Math.max(0, normal[0] * sun[0] + normal[1] * sun[1] + normal[2] * sun[2]) * shadow;
  const up = 0.5 + 0.5 * normal[1];
  const back = Math.max(0, -(normal[0] * sun[0] + normal[2] * sun[2])) * 0.12;
  return colour.map(
    (c, n) =>
      c * (direct * scene.sunColour[n] * 3.1 + ambient * (up * [0.3, 0.42, 0.62][n] * 0.95 + back * [1, 0.85, 0.7][n])),
  );
}

/** Computes the light of the lake's surface: the Fresnel reflection, broken by ripples, over dark water or the stones of the shallows. */
function waterLight(world, from, ray, t, pixel) {
  const { land } = world;
  const x = from[0] + ray[0] * t;
  const z = from[2] + ray[2] * t;
  const wind = 0.25 + 0.75 * smoothstep(-0.1, 0.4, land.noise.sum(x / 160, z / 46, 3));
  const size = (0.006 + 0.03 * wind) * (1 / (1 + t / 75));
  const ripple = (salt) =>
    land.noise.sum(x / 1.7 + salt, z / 0.8, 3) + 0.8 * land.noise.sum(x / 7 + salt, z / 3.2 + salt, 2);
  const normal = unit([size * ripple(3.7), 1, size * 1.5 * ripple(19.1)]);
  const facing = -(ray[0] * normal[0] + ray[1] * normal[1] + ray[2] * normal[2]);
  const mirrored = ray.map((r, n) => r + 2 * facing * normal[n]);
  mirrored[1] = Math.max(0.004, mirrored[1]);
  const above = radiance(world, [x, 0.02, z], unit(mirrored), pixel * 1.5, false);
  const fresnel = 0.03 + 0.97 * (1 - Math.max(0, facing)) ** 5;
  const depth = -land.ground(x, z, 3);
  const clear = Math.exp(-depth * 1.5);
  const grain = 0.6 + land.noise.sum(x * 1.4, z * 1.4, 4);
  const below = mixColour([0.018, 0.045, 0.05], [0.16 * grain, 0.15 * grain, 0.11 * grain], clear);
  return above.map((a, n) => a * fresnel + below[n] * (1 - fresnel));
}

/** Adds the haze between the camera and an object: blue away from the sun, warm towards it. */
function haze({ scene, sun }, ray, t, colour) {
  const amount = 1 - Math.exp(-((t * scene.haze) ** 1.35));
  const towards = Math.max(0, ray[0] * sun[0] + ray[1] * sun[1] + ray[2] * sun[2]);
  const air = mixColour(
    [0.5, 0.61, 0.76],
    scene.sunColour.map((c) => c * 0.85),
    0.6 * towards ** 5,
  );
  return mixColour(colour, air, amount);
}
