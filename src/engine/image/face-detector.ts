import { fileURLToPath } from 'node:url';
import { loadNetwork } from '../neural/network.ts';
import { decodeFaces } from './face-boxes.ts';
import type { FaceBox } from './face-boxes.ts';
import { colourChannels, maxSample } from './picture.ts';
import type { Picture } from './picture.ts';
import { resample } from './resample.ts';

/** The same place from src/ and from dist/. */
const MODEL = fileURLToPath(new URL('../../../models/faces/detector.onnx', import.meta.url));
/** Side of the square that is searched, pixels; a whole number of the network's cells of 32. Faces of a 20th of it are found. */
const INPUT_SIDE = 608;

/**
 * Finds faces by a small network (models/faces), on a reduced copy of the picture; one thread, about 60 ms of CPU whatever
 * the picture's size. Grey is searched as grey; not for CMYK.
 * @returns boxes in pixels of the picture, the surest first
 * @throws Error where the network cannot run on this machine
 */
export async function detectFaces(picture: Picture): Promise<FaceBox[]> {
  const scale = INPUT_SIDE / Math.max(picture.width, picture.height);
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const network = await loadNetwork(MODEL, 1);
  const planes = squarePlanes(resample(picture, width, height));
  const { samples, width: cells } = await network.run(planes, INPUT_SIDE, INPUT_SIDE);
  return decodeFaces(samples, cells)
    .map((face) => ({ ...face, ...unscaled(face, INPUT_SIDE / scale) }))
    .filter(({ x, y }) => x < picture.width && y < picture.height);
}

function unscaled({ x, y, width, height }: FaceBox, side: number): Omit<FaceBox, 'score'> {
  return { x: x * side, y: y * side, width: width * side, height: height * side };
}

/** Red, green and blue, 0..1, in the upper left of a black square. */
function squarePlanes(picture: Picture): Float32Array {
  const { data, width, height, channels } = picture;
  const scale = 1 / maxSample(picture);
  const planes = new Float32Array(3 * INPUT_SIDE * INPUT_SIDE);
  const step = colourChannels(picture) === 1 ? 0 : 1;
  for (let c = 0; c < 3; c += 1) {
    for (let y = 0; y < height; y += 1) {
      const to = (c * INPUT_SIDE + y) * INPUT_SIDE;
      for (let x = 0; x < width; x += 1) planes[to + x] = data[(y * width + x) * channels + c * step]! * scale;
    }
  }
  return planes;
}
