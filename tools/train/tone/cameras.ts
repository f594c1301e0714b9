import { daylight, lamp, underWrongBalance, type Camera, type Light } from '../../../bench/tone/camera-casts.ts';
import { PIXELS, SIDE } from '../../../packages/engine/src/image/steps/tone-square.ts';
import type { Random } from './random.ts';

/** Canon EOS 60D, Nikon D700, Nikon D7000 and Sony ILCE-7, from dcraw's table `adobe_coeff`: none of those that the bench uses. */
const CAMERAS: readonly Camera[] = [
  [
    [0.6719, -0.0994, -0.0925],
    [-0.4408, 1.2426, 0.2211],
    [-0.0887, 0.2129, 0.6051],
  ],
  [
    [0.8139, -0.2171, -0.0663],
    [-0.8747, 1.6541, 0.2295],
    [-0.1925, 0.2008, 0.8093],
  ],
  [
    [0.8198, -0.2239, -0.0724],
    [-0.4871, 1.2389, 0.2798],
    [-0.1043, 0.205, 0.7181],
  ],
  [
    [0.5271, -0.0712, -0.0347],
    [-0.6153, 1.3653, 0.2763],
    [-0.1601, 0.2366, 0.7242],
  ],
];
/** Standard deviation of a light from the curves of lamps and daylight, in chromaticity. */
const BESIDE = 0.012;

/** Returns a photograph as a camera shows it that is set to another light. */
export function inCamera(planes: Float32Array, random: Random): Float32Array {
  const camera = CAMERAS[Math.floor(random.next() * CAMERAS.length)]!;
  const data = new Uint8Array(planes.length);
  for (let i = 0; i < data.length; i += 1) data[i] = Math.round(255 * planes[(i % 3) * PIXELS + Math.floor(i / 3)]!);
  const balance = { light: anyLight(random), setTo: anyLight(random) };
  const seen = underWrongBalance({ width: SIDE, height: SIDE, data }, balance, camera).data;
  return planes.map((_, i) => seen[3 * (i % PIXELS) + Math.floor(i / PIXELS)]! / 255);
}

function anyLight(random: Random): Light {
  const [x, y] = random.next() < 0.5 ? lamp(random.between(2700, 4000)) : daylight(random.between(4000, 9000));
  return [x + random.normal(BESIDE), y + random.normal(BESIDE)];
}
