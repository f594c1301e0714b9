import { fileURLToPath } from 'node:url';
import { loadNetwork } from '../../neural/network.ts';
import { addFaces, decodeFaces } from './face-boxes.ts';
import type { FaceBox } from './face-boxes.ts';
import { colourChannels, maxSample } from '../picture.ts';
import type { Picture } from '../picture.ts';
import { resample } from '../filters/resample.ts';

/** The relative path is the same from src/ and from dist/. */
const MODEL = fileURLToPath(new URL('../../../../models/faces/detector.onnx', import.meta.url));
/**
 * Parameters of a search: the side of the network's square input, a multiple of its cells of 32, and the size of the
 * picture in it. In a picture that fills the square, the network detects faces of a 20th of its side, but none that
 * fill it. A smaller picture with grey padding reveals those.
 */
interface Search {
  side: number;
  filled: number;
  /** Minimum width of a face, as a fraction of the picture's longer side; the other search detects narrower ones */
  least: number;
  centred: boolean;
}
const SEARCHES: readonly Search[] = [
  { side: 608, filled: 608, least: 0, centred: false },
  { side: 416, filled: 224, least: 0.25, centred: true },
];
const GREY = 0.5;

/**
 * Detects faces with a small network (models/faces), on reduced copies of the picture. It takes one thread and about
 * 100 ms of CPU for any size. Grey pictures are searched as grey. Not for CMYK.
 * @returns boxes in pixels of the picture, by descending score
 * @throws Error when the network cannot run on this machine
 */
export async function detectFaces(picture: Picture): Promise<FaceBox[]> {
  let faces: FaceBox[] = [];
  for (const search of SEARCHES) faces = addFaces(faces, await searchFaces(picture, search));
  return faces.sort((a, b) => b.score - a.score);
}

async function searchFaces(picture: Picture, { side, filled, least, centred }: Search): Promise<FaceBox[]> {
  const longer = Math.max(picture.width, picture.height);
  const scale = filled / longer;
  const [width, height] = [picture.width, picture.height].map((own) => Math.max(1, Math.round(own * scale))) as [
    number,
    number,
  ];
  const [left, top] = centred ? [(side - width) >> 1, (side - height) >> 1] : [0, 0];
  const network = await loadNetwork(MODEL, 1);
  const planes = squarePlanes(resample(picture, width, height), side, left, top, centred ? GREY : 0);
  const { samples, width: cells } = await network.run(planes, side, side);
  return decodeFaces(samples, cells)
    .map((face) => ({
      score: face.score,
      x: (face.x * side - left) / scale,
      y: (face.y * side - top) / scale,
      width: (face.width * side) / scale,
      height: (face.height * side) / scale,
    }))
    .filter((face) => face.width >= least * longer && liesInside(face, picture));
}

function liesInside({ x, y, width, height }: FaceBox, picture: Picture): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return middleX > 0 && middleY > 0 && middleX < picture.width && middleY < picture.height;
}

/** Returns red, green and blue, 0..1, of the picture at a position in a square of uniform grey. */
function squarePlanes(picture: Picture, side: number, left: number, top: number, around: number): Float32Array {
  const { data, width, height, channels } = picture;
  const scale = 1 / maxSample(picture);
  const planes = new Float32Array(3 * side * side).fill(around);
  const step = colourChannels(picture) === 1 ? 0 : 1;
  for (let c = 0; c < 3; c += 1) {
    for (let y = 0; y < height; y += 1) {
      const to = (c * side + top + y) * side + left;
      for (let x = 0; x < width; x += 1) planes[to + x] = data[(y * width + x) * channels + c * step]! * scale;
    }
  }
  return planes;
}
