import { deflateSync, inflateSync } from 'node:zlib';
import { PAPER_BLOCK, paperOfBlocks } from '../../image/document/block-paper.ts';
import { findComponents } from '../../image/document/marks.ts';
import type { Picture } from '../../image/picture.ts';
import { openPicture } from '../../image/preview.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { MAX_MARKS_LENGTH } from './page-words.ts';

/** Resolution at which marks are found, pixels an inch: the boxes of words need half a point. */
const RESOLUTION = 150;
/** Longest side of a mark, pixels: larger ones are rules, frames and pictures. */
const LONGEST_SIDE = RESOLUTION;
/** Share of the light of the paper below which a pixel is ink. */
const INK = 0.75;
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
  const paper = paperOfBlocks(data, info);
  const across = Math.ceil(width / PAPER_BLOCK);
  const { count, ...boxes } = findComponents(width, height, (at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return data[at]! < INK * paper[Math.floor(y / PAPER_BLOCK) * across + Math.floor(x / PAPER_BLOCK)]!;
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
