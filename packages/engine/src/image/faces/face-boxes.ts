/** Bounding box of a face, from brow to chin, with its confidence score, 0 to 1. */
export interface FaceBox {
  x: number;
  y: number;
  width: number;
  height: number;
  score: number;
}

/** Anchor widths and heights of the network's output, in cells (tinyFaceDetector/const.ts of @vladmandic/face-api). */
const ANCHORS = [
  [1.603231, 2.094468],
  [6.041143, 7.080126],
  [2.882459, 3.518061],
  [4.266906, 5.178857],
  [9.041765, 10.66308],
] as const;
/** Minimum score: higher than face-api's own 0.5, since a false detection would be treated as a face. */
const LEAST_SCORE = 0.6;
/** Boxes with a larger intersection over union are one face. */
const OVERLAP = 0.4;
const MAX_FACES = 100;
const VALUES = 5;

/**
 * Decodes the output of the network, in the form of YOLO v2 (Redmon and Farhadi, 2017). Each cell of a square grid has
 * a box and a score for each anchor. Of overlapping boxes, the one with the highest score stays.
 * @param output planes of `cells` × `cells` values, five for each anchor
 * @returns boxes in fractions of the square, by descending score
 */
export function decodeFaces(output: Float32Array, cells: number): FaceBox[] {
  const found: FaceBox[] = [];
  ANCHORS.forEach(([anchorWidth, anchorHeight], anchor) => {
    for (let i = 0; i < cells * cells; i += 1) {
      const value = (index: number): number => output[(anchor * VALUES + index) * cells * cells + i]!;
      const score = sigmoid(value(4));
      if (!(score >= LEAST_SCORE)) continue;
      const [width, height] = [(Math.exp(value(2)) * anchorWidth) / cells, (Math.exp(value(3)) * anchorHeight) / cells];
      const x = ((i % cells) + sigmoid(value(0))) / cells - width / 2;
      const y = (Math.floor(i / cells) + sigmoid(value(1))) / cells - height / 2;
      found.push({ x, y, width, height, score });
    }
  });
  return addFaces([], found);
}

/**
 * Adds the faces of another search by descending score, if they overlap neither a known face nor one another. A face whose centre lies
 * in a known face is the same one: another search may give it a box of another size.
 */
export function addFaces(faces: readonly FaceBox[], others: FaceBox[]): FaceBox[] {
  const kept: FaceBox[] = [];
  for (const face of others.sort((a, b) => b.score - a.score)) {
    if (faces.length + kept.length === MAX_FACES) break;
    if ([...faces, ...kept].some((other) => sharedPart(face, other) > OVERLAP)) continue;
    if (!faces.some((other) => hasCentreOf(face, other))) kept.push(face);
  }
  return [...faces, ...kept];
}

function hasCentreOf(face: FaceBox, other: FaceBox): boolean {
  const [x, y] = [face.x + face.width / 2 - other.x, face.y + face.height / 2 - other.y];
  return x > 0 && y > 0 && x < other.width && y < other.height;
}

function sharedPart(a: FaceBox, b: FaceBox): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (a.width * a.height + b.width * b.height - shared);
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
