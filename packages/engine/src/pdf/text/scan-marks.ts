import { deflateSync, inflateSync } from 'node:zlib';
import { findComponents } from '../../image/document/marks.ts';
import { mostAround } from '../../image/document/page-planes.ts';
import type { Picture } from '../../image/picture.ts';
import { openPicture } from '../../image/preview.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { MAX_MARKS_LENGTH } from './page-words.ts';

/** Resolution at which marks are found, pixels an inch: the boxes of words need half a point. */
const RESOLUTION = 150;
/** Longest side of a mark, pixels: larger ones are rules, frames and pictures. */
const LONGEST_SIDE = RESOLUTION;
/** Side of a block that has one colour of paper, pixels, the share of its pixels that are lighter, and of its light that is ink. */
const PAPER = { block: 16, lighter: 0.15, ink: 0.75 } as const;
/** Largest side of a picture with marks: their places have 16 bits. */
const LARGEST_SIDE = 0xffff;
const MAX_MARKS = 100_000;

const NUMBERS = ['left', 'top', 'width', 'height'] as const;

/** The box of one connected piece of ink, such as a letter, in pixels of the drawn scan. */
export type Mark = Record<(typeof NUMBERS)[number], number>;

/**
 * Finds the marks of ink on a scan.
 * @param resolution of the scan, pixels an inch
 * @param turns quarter turns clockwise that make it upright, as its marks are
 * @returns the marks in the form that `readMarks` reads; undefined where they are too many, or the scan is too large
 */
export async function findMarks(
  scan: Picture,
  { resolution, turns }: { resolution: number; turns: QuarterTurns },
): Promise<string | undefined> {
  const scale = Math.min(1, RESOLUTION / resolution);
  const turned = turns % 2 === 0 ? [scan.width, scan.height] : [scan.height, scan.width];
  const [width, height] = turned.map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  if (Math.max(width, height) > LARGEST_SIDE) return undefined;
  const small = openPicture(scan)
    .rotate(90 * turns)
    .resize(width, height, { fit: 'fill' });
  const { data, info } = await small.extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  const paper = paperOf(data, info);
  const across = Math.ceil(width / PAPER.block);
  const { count, ...boxes } = findComponents(width, height, (at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return data[at]! < PAPER.ink * paper[Math.floor(y / PAPER.block) * across + Math.floor(x / PAPER.block)]!;
  });
  const numbers: number[] = [width, height];
  for (let mark = 0; mark < count; mark += 1)
    if (Math.max(boxes.width[mark]!, boxes.height[mark]!) <= LONGEST_SIDE)
      numbers.push(...NUMBERS.map((name) => boxes[name][mark]!));
  const text = deflateSync(Uint8Array.from(numbers.flatMap((number) => [number & 0xff, number >> 8]))).toString(
    'base64',
  );
  return text.length <= MAX_MARKS_LENGTH ? text : undefined;
}

/** Reads the marks of a scan. @param scan its size as it was drawn, pixels @throws Error when `findMarks` cannot have written them */
export function readMarks(text: string, scan: { width: number; height: number }): Mark[] {
  const maxOutputLength = 2 * (2 + NUMBERS.length * MAX_MARKS);
  const bytes = inflateSync(Buffer.from(text, 'base64'), { maxOutputLength });
  const numberAt = (k: number): number => bytes.readUInt16LE(2 * k);
  const [across, down] = [scan.width / Math.max(1, numberAt(0)), scan.height / Math.max(1, numberAt(1))];
  return Array.from({ length: Math.floor((bytes.length / 2 - 2) / NUMBERS.length) }, (_, mark) => {
    const [left, top, width, height] = NUMBERS.map((_, k) => numberAt(2 + mark * NUMBERS.length + k)) as [
      number,
      number,
      number,
      number,
    ];
    return { left: left * across, top: top * down, width: width * across, height: height * down };
  });
}

/** The light of the paper in each block: the lightest one beside it counts, so that a block of ink takes that of its surroundings. */
function paperOf(data: Uint8Array, { width, height }: { width: number; height: number }): Uint8Array {
  const [across, down] = [Math.ceil(width / PAPER.block), Math.ceil(height / PAPER.block)];
  const own = new Uint8Array(across * down);
  const histogram = new Uint32Array(256);
  for (let at = 0; at < own.length; at += 1) {
    const [left, top] = [(at % across) * PAPER.block, Math.floor(at / across) * PAPER.block];
    const [right, bottom] = [Math.min(width, left + PAPER.block), Math.min(height, top + PAPER.block)];
    histogram.fill(0);
    for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) histogram[data[y * width + x]!]! += 1;
    const most = PAPER.lighter * (right - left) * (bottom - top);
    let level = 255;
    for (let above = histogram[255]!; above < most;) above += histogram[(level -= 1)]!;
    own[at] = level;
  }
  return mostAround(own, across, 1);
}
