import { assertWorkWithin } from '../work-limits.ts';
import type { Matrix } from './matrix.ts';

/** An image at its position on a page. */
export interface PlacedImage {
  number: number;
  /** Pixels */
  width: number;
  height: number;
  matrix: Matrix;
  /** Property that neighbours must share to be parts of one picture */
  kind: string;
}

export interface PicturePart {
  number: number;
  /** Top left corner in the picture, pixels */
  x: number;
  y: number;
  /** Pixels */
  width: number;
  height: number;
}

/** Returns the size of the picture that parts make up, pixels. */
export function computeExtent(parts: readonly Omit<PicturePart, 'number'>[]): { width: number; height: number } {
  return {
    width: Math.max(...parts.map((part) => part.x + part.width)),
    height: Math.max(...parts.map((part) => part.y + part.height)),
  };
}

export interface PictureGroup {
  /** Pixels */
  width: number;
  height: number;
  /** Sorted by object number */
  parts: PicturePart[];
}

/** Maximum gap or overlap between edges, pixels: programs round the numbers that they write. */
const TOLERANCE = 0.6;
/** Maximum number of images of one kind to compare on one page, since every pair is compared. */
const MOST_COMPARED = 2000;
/** Minimum share of a picture's rectangle that its parts cover: a program may omit blank tiles. */
const MIN_COVERED = 0.5;

/**
 * Finds adjacent images of one resolution, such as the strips and tiles of one picture. Directions refer to the images
 * themselves, so a rotation by the page has no effect.
 */
export function groupNeighbours(images: readonly PlacedImage[]): PictureGroup[] {
  const kinds = new Map<string, PlacedImage[]>();
  for (const image of images) {
    const [a, b, c, d] = image.matrix;
    if (!(Math.abs(a * d - b * c) > 1e-9)) continue;
    const alike = kinds.get(image.kind);
    if (alike) alike.push(image);
    else kinds.set(image.kind, [image]);
  }
  return [...kinds.values()]
    .filter(({ length }) => length > 1 && length <= MOST_COMPARED)
    .flatMap((alike) => groupImages(alike));
}

interface Link {
  to: number;
  x: number;
  y: number;
}

function groupImages(images: readonly PlacedImage[]): PictureGroup[] {
  const links = images.map((): Link[] => []);
  images.forEach((image, from) => {
    const toPixels = toPixelGrid(image);
    images.forEach((other, to) => {
      if (from === to) return;
      const offset = findOffset(image, other, toPixels);
      if (offset === undefined) return;
      links[from]!.push({ to, ...offset });
      links[to]!.push({ to: from, x: -offset.x, y: -offset.y });
    });
  });
  const placed = new Map<number, { x: number; y: number }>();
  const groups: PictureGroup[] = [];
  for (const start of images.keys()) {
    if (placed.has(start) || links[start]!.length === 0) continue;
    const group = follow(images, links, start, placed);
    if (group) groups.push(group);
  }
  return groups;
}

/** Returns the matrix from points of the page to pixels of an image, with the origin at its top left corner. */
function toPixelGrid({
  matrix: [a, b, c, d, e, f],
  width,
  height,
}: PlacedImage): (x: number, y: number) => [number, number] {
  const determinant = a * d - b * c;
  return (x, y) => {
    const [dx, dy] = [x - e, y - f];
    return [((d * dx - c * dy) / determinant) * width, (1 - (a * dy - b * dx) / determinant) * height];
  };
}

/** Returns the position of an image that continues another one below it or to its right, in pixels of the other. */
function findOffset(
  image: PlacedImage,
  other: PlacedImage,
  toPixels: (x: number, y: number) => [number, number],
): { x: number; y: number } | undefined {
  const [a, b, c, d, e, f] = other.matrix;
  const [left, top] = toPixels(c + e, d + f);
  const below = near(left, 0) && near(top, image.height);
  const beside = near(left, image.width) && near(top, 0);
  if (!below && !beside) return undefined;
  const [right, rightTop] = toPixels(a + c + e, b + d + f);
  const [leftBottom, bottom] = toPixels(e, f);
  const isAlongRows = near(right - left, other.width) && near(rightTop - top, 0);
  const isAlongColumns = near(leftBottom - left, 0) && near(bottom - top, other.height);
  if (!isAlongRows || !isAlongColumns) return undefined;
  return below ? { x: 0, y: image.height } : { x: image.width, y: 0 };
}

const near = (one: number, other: number): boolean => Math.abs(one - other) <= TOLERANCE;

/**
 * Places all connected images; none when parts overlap, contradict one another, or leave most of the picture uncovered.
 */
function follow(
  images: readonly PlacedImage[],
  links: readonly Link[][],
  start: number,
  placed: Map<number, { x: number; y: number }>,
): PictureGroup | undefined {
  const members = [start];
  placed.set(start, { x: 0, y: 0 });
  let isConsistent = true;
  for (const from of members) {
    const origin = placed.get(from)!;
    for (const { to, x, y } of links[from]!) {
      const [wantedX, wantedY] = [origin.x + x, origin.y + y];
      const known = placed.get(to);
      if (known === undefined) {
        placed.set(to, { x: wantedX, y: wantedY });
        members.push(to);
      } else if (known.x !== wantedX || known.y !== wantedY) isConsistent = false;
    }
  }
  if (!isConsistent) return undefined;
  const rows = members.map((index) => ({ ...placed.get(index)!, image: images[index]! }));
  const [left, top] = [Math.min(...rows.map(({ x }) => x)), Math.min(...rows.map(({ y }) => y))];
  const parts = rows
    .map(({ x, y, image: { number, width, height } }) => ({ number, x: x - left, y: y - top, width, height }))
    .sort((one, two) => one.number - two.number);
  const { width, height } = computeExtent(parts);
  const covered = parts.reduce((sum, part) => sum + part.width * part.height, 0);
  if (covered < MIN_COVERED * width * height || doOverlap(parts)) return undefined;
  return { width, height, parts };
}

function doOverlap(parts: readonly PicturePart[]): boolean {
  const sorted = [...parts].sort((one, two) => one.y - two.y);
  return sorted.some((one, i) => {
    for (let k = i + 1; k < sorted.length && sorted[k]!.y < one.y + one.height; k += 1) {
      const two = sorted[k]!;
      if (two.x < one.x + one.width && one.x < two.x + two.width) return true;
    }
    return false;
  });
}

export interface DocumentGroups {
  addPage(groups: readonly PictureGroup[], drawn: Iterable<number>): void;
  /** Returns the groups with parts that are never drawn in another way. */
  agreed(): PictureGroup[];
}

export function createDocumentGroups(): DocumentGroups {
  const known = new Map<string, PictureGroup>();
  const groupByImage = new Map<number, PictureGroup | null>();
  const broken = new Set<PictureGroup>();
  return {
    addPage(groups, drawn) {
      const here = new Map<number, PictureGroup>();
      for (const group of groups) {
        const key = group.parts.map(({ number, x, y }) => `${number} ${x} ${y}`).join(',');
        const same = known.get(key) ?? group;
        known.set(key, same);
        assertWorkWithin('images', known.size);
        for (const { number } of group.parts) here.set(number, same);
      }
      for (const number of drawn) {
        const [before, now] = [groupByImage.get(number), here.get(number) ?? null];
        if (before === undefined) groupByImage.set(number, now);
        else if (before !== now) for (const group of [before, now]) if (group) broken.add(group);
      }
    },
    agreed: () => [...known.values()].filter((group) => !broken.has(group)),
  };
}
