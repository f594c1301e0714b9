import { fileURLToPath } from 'node:url';
import { loadNetwork } from '../../neural/network.ts';
import { PACKAGE_FOLDER } from '../../package-folder.ts';
import { addFaces, decodeFaces, type FaceBox } from './face-boxes.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { resample } from '../filters/resample.ts';

const MODEL = fileURLToPath(new URL('models/faces/detector.onnx', PACKAGE_FOLDER));
/**
 * Parameters of a search: the side of the network's square input, a multiple of its cells of 32, and the size of the
 * picture in it. In a picture that fills the square, the network detects faces of a 20th of its side, but none that
 * fill it. A smaller picture with grey padding reveals those.
 */
interface Search {
  side: number;
  filled: number;
  /** Minimum width of a face, as a fraction of the picture's longer side; the other searches detect narrower ones */
  least: number;
  /** Minimum score, if it is higher than that of `decodeFaces` */
  score?: number;
  /** Degrees by which the picture is turned clockwise, with grey around it; undefined for a picture in the upper left corner */
  turn?: number;
}
const SEARCHES: readonly Search[] = [
  { side: 608, filled: 608, least: 0 },
  { side: 416, filled: 224, least: 0.25, turn: 0 },
  { side: 416, filled: 272, least: 0.1, score: 0.75, turn: 25 },
  { side: 416, filled: 272, least: 0.1, score: 0.75, turn: -25 },
];
const GREY = 0.5;
/** Least width of a large face, as a fraction of the picture's longer side. */
const LARGE = 0.05;
/**
 * Detects faces with a small network (models/faces), on reduced copies of the picture. It takes one thread and about
 * 200 ms of CPU for any size. Grey pictures are searched as grey. Not for CMYK.
 * @returns boxes in pixels of the picture, by descending score
 * @throws Error when the network cannot run on this machine
 */
export async function detectFaces(picture: Picture): Promise<FaceBox[]> {
  return search(picture, SEARCHES);
}

/**
 * Detects upright faces wider than a 20th of the picture, whose light decides about the whole picture. It takes about 100 ms of CPU.
 * Otherwise as `detectFaces`.
 */
export async function detectLargeFaces(picture: Picture): Promise<FaceBox[]> {
  const found = await search(picture, SEARCHES.slice(0, 2));
  return found.filter(({ width }) => width >= LARGE * longerSide(picture));
}

async function search(picture: Picture, searches: readonly Search[]): Promise<FaceBox[]> {
  // A large picture is read once: the smaller copies come from the largest one.
  const copy = reduced(picture, SEARCHES[0]!.filled);
  let faces: FaceBox[] = [];
  for (const each of searches) faces = addFaces(faces, await searchFaces(copy, each));
  const scale = longerSide(picture) / longerSide(copy);
  return faces
    .sort((a, b) => b.score - a.score)
    .map(({ x, y, width, height, score }) => {
      return { x: x * scale, y: y * scale, width: width * scale, height: height * scale, score };
    });
}

const longerSide = ({ width, height }: Picture): number => Math.max(width, height);

/** Returns a copy with a longer side of `side` pixels. */
function reduced(picture: Picture, side: number): Picture {
  const scale = side / longerSide(picture);
  const size = (own: number): number => Math.max(1, Math.round(own * scale));
  return resample(picture, size(picture.width), size(picture.height));
}

async function searchFaces(picture: Picture, { side, filled, least, score = 0, turn }: Search): Promise<FaceBox[]> {
  const longer = longerSide(picture);
  const scale = filled / longer;
  const copy = filled === longer ? picture : reduced(picture, filled);
  const network = await loadNetwork(MODEL, 1);
  const place = turn === undefined ? IN_CORNER : inCentre(side, copy.width, copy.height, turn);
  const planes = squarePlanes(copy, side, place, turn === undefined ? 0 : GREY);
  const { samples, width: cells } = await network.run(planes, side, side);
  return decodeFaces(samples, cells)
    .map((face) => {
      const [x, y] = place((face.x + face.width / 2) * side, (face.y + face.height / 2) * side);
      const [faceWidth, faceHeight] = [(face.width * side) / scale, (face.height * side) / scale];
      return {
        score: face.score,
        x: x / scale - faceWidth / 2,
        y: y / scale - faceHeight / 2,
        width: faceWidth,
        height: faceHeight,
      };
    })
    .filter((face) => face.score >= score && face.width >= least * longer && liesInside(face, picture));
}

/** Maps a point of the network's square to the reduced picture in it, pixels. */
type Place = (x: number, y: number) => readonly [number, number];

const IN_CORNER: Place = (x, y) => [x, y];

function inCentre(side: number, width: number, height: number, degrees: number): Place {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return (x, y) => {
    const [across, down] = [x - side / 2, y - side / 2];
    return [across * cos + down * sin + width / 2, down * cos - across * sin + height / 2];
  };
}

function liesInside({ x, y, width, height }: FaceBox, picture: Picture): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return middleX > 0 && middleY > 0 && middleX < picture.width && middleY < picture.height;
}

/** Returns red, green and blue, 0..1, of the picture at its place in a square of uniform grey, interpolated between four pixels. */
function squarePlanes(picture: Picture, side: number, place: Place, around: number): Float32Array {
  const { data, width, height, channels } = picture;
  const scale = 1 / maxSample(picture);
  const planes = new Float32Array(3 * side * side).fill(around);
  const step = colourChannels(picture) === 1 ? 0 : 1;
  for (let to = 0; to < side * side; to += 1) {
    const [x, y] = place((to % side) + 0.5, Math.floor(to / side) + 0.5);
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    const [u, v] = [Math.max(0, Math.min(width - 1, x - 0.5)), Math.max(0, Math.min(height - 1, y - 0.5))];
    const [i, j] = [Math.floor(u), Math.floor(v)];
    const [right, below] = [i + 1 < width ? channels : 0, j + 1 < height ? width * channels : 0];
    for (let c = 0, at = (j * width + i) * channels; c < 3; c += 1, at += step) {
      const upper = data[at]! + (data[at + right]! - data[at]!) * (u - i);
      const lower = data[at + below]! + (data[at + below + right]! - data[at + below]!) * (u - i);
      planes[c * side * side + to] = (upper + (lower - upper) * (v - j)) * scale;
    }
  }
  return planes;
}
