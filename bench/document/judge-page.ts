import { execFile } from 'node:child_process';
import { lumaAt } from '../../packages/engine/src/image/luma.ts';
import { linearLight } from '../../packages/engine/src/image/steps/curves.ts';
import { labOf, type Rgb } from '../quality/metrics.ts';

/** Reads a page by Tesseract. @param dpi pixels an inch @returns words */
export function readWords(file: Buffer, dpi: number, language = 'eng'): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'tesseract',
      ['stdin', 'stdout', '--dpi', String(dpi), '-l', language],
      { env: { ...process.env, OMP_THREAD_LIMIT: '1' } },
      (error, text) => (error ? reject(new Error('Tesseract failed.', { cause: error })) : resolve(toWords(text))),
    );
    // The exit code tells of a program that ends before it has read the page.
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(file);
  });
}

export const toWords = (text: string): string[] => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Least number of words to insert, delete or replace, as a share of the words of the truth. */
export function wordErrors(truth: readonly string[], read: readonly string[]): number {
  let row = Array.from({ length: read.length + 1 }, (_, k) => k);
  for (const [i, word] of truth.entries()) {
    const next = [i + 1];
    for (let k = 0; k < read.length; k += 1)
      next.push(Math.min(row[k]! + (word === read[k] ? 0 : 1), row[k + 1]! + 1, next[k]! + 1));
    row = next;
  }
  return row[read.length]! / truth.length;
}

const luma = ({ data }: Rgb, at: number): number => lumaAt(data, 3 * at, 3);

/** Share of the blank paper of the clean drawing that is at least 250 in all channels. Two pixels around ink do not count. */
export function whitePaper(clean: Rgb, page: Rgb): number {
  let [paper, white] = [0, 0];
  eachPixel(clean, 3, (at) => {
    if (!around(clean, at, 2, (near) => luma(clean, near) > 254)) return;
    paper += 1;
    if (Math.min(page.data[3 * at]!, page.data[3 * at + 1]!, page.data[3 * at + 2]!) >= 250) white += 1;
  });
  return white / paper;
}

/** Share of the skeleton of the clean drawing's black ink that the page shows within two pixels, as darker than 170. */
export function keptStrokes(clean: Rgb, page: Rgb): number {
  const skeleton = thin(clean);
  let [strokes, kept] = [0, 0];
  eachPixel(clean, 3, (at) => {
    if (skeleton[at] === 0) return;
    strokes += 1;
    if (!around(clean, at, 2, (near) => luma(page, near) >= 170)) kept += 1;
  });
  return kept / strokes;
}

/** ΔE (CIE 1976) between the mean colours of one mark in the clean drawing and in the page, one pixel within its edge. */
export function colourOfMark(clean: Rgb, page: Rgb, [red, green, blue]: readonly [number, number, number]): number {
  const sums: [number, number, number] = [0, 0, 0];
  let pixels = 0;
  const isMark = ({ data }: Rgb, at: number): boolean =>
    data[3 * at] === red && data[3 * at + 1] === green && data[3 * at + 2] === blue;
  eachPixel(clean, 2, (at) => {
    if (!around(clean, at, 1, (near) => isMark(clean, near))) return;
    pixels += 1;
    for (let c = 0; c < 3; c += 1) sums[c]! += page.data[3 * at + c]!;
  });
  if (pixels === 0) return Number.NaN;
  const [a, b] = [lab([red, green, blue]), lab([sums[0] / pixels, sums[1] / pixels, sums[2] / pixels])];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function eachPixel({ width, height }: Rgb, margin: number, visit: (at: number) => void): void {
  for (let y = margin; y < height - margin; y += 1)
    for (let x = margin; x < width - margin; x += 1) visit(y * width + x);
}

function around({ width }: Rgb, at: number, reach: number, holds: (near: number) => boolean): boolean {
  for (let y = -reach; y <= reach; y += 1)
    for (let x = -reach; x <= reach; x += 1) if (!holds(at + y * width + x)) return false;
  return true;
}

/** Skeleton of the black ink, after Zhang and Suen (1984). */
function thin(page: Rgb): Uint8Array {
  const { width, height, data } = page;
  const ink = new Uint8Array(width * height);
  eachPixel(page, 3, (at) => {
    const high = Math.max(data[3 * at]!, data[3 * at + 1]!, data[3 * at + 2]!);
    const low = Math.min(data[3 * at]!, data[3 * at + 1]!, data[3 * at + 2]!);
    ink[at] = high < 128 && high - low < 24 ? 1 : 0;
  });
  const ring = [-width, 1 - width, 1, width + 1, width, width - 1, -1, -width - 1];
  for (let changed = true; changed;) {
    changed = false;
    for (const turn of [0, 1]) {
      const dropped: number[] = [];
      eachPixel({ width, height, data }, 3, (at) => {
        if (ink[at] === 0) return;
        const near = ring.map((step) => ink[at + step]!);
        const count = near.reduce((a, b) => a + b, 0);
        if (count < 2 || count > 6) return;
        if (near.filter((value, k) => value === 0 && near[(k + 1) % 8] === 1).length !== 1) return;
        const [north, , east, , south, , west] = near as [number, number, number, number, number, number, number];
        const open =
          turn === 0 ? north * east * south + east * south * west : north * east * west + north * south * west;
        if (open === 0) dropped.push(at);
      });
      for (const at of dropped) ink[at] = 0;
      changed ||= dropped.length > 0;
    }
  }
  return ink;
}

/** CIE L*a*b* of an sRGB colour, 0 to 255. */
const lab = ([red, green, blue]: readonly [number, number, number]): readonly [number, number, number] =>
  labOf(linearLight(red / 255), linearLight(green / 255), linearLight(blue / 255));
