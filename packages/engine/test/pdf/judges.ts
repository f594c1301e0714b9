import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { lackOf } from '../../../../test/support/needs.ts';

/** Independent judges: they speak where they are installed; what must hold everywhere is asserted beside them. */
const hasQpdf = lackOf('qpdf') === undefined;
const hasPoppler = lackOf('pdftoppm') === undefined;

/** What qpdf has against a file; nothing where it is not installed. */
export function qpdfComplaint(path: string): string {
  if (!hasQpdf) return '';
  const { status, stdout, stderr } = spawnSync('qpdf', ['--check', path], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

/** A page as poppler draws it. */
export interface Rendered {
  width: number;
  height: number;
  /** Red, green and blue of a place, points from the left upper corner of the page */
  at(x: number, y: number): [number, number, number];
}

/** The first page at a resolution, pixels an inch; undefined where poppler is not installed. */
export function rendered(path: string, resolution: number): Rendered | undefined {
  if (!hasPoppler) return undefined;
  const { stdout } = spawnSync('pdftoppm', ['-r', String(resolution), '-singlefile', path], { maxBuffer: 300_000_000 });
  const [head, size] = /^P6\s+(\d+ \d+)\s+255\s/.exec(stdout.toString('latin1', 0, 100)) ?? [];
  if (head === undefined || size === undefined) throw new Error('The page could not be drawn.');
  const [width, height] = size.split(' ').map(Number) as [number, number];
  return {
    width,
    height,
    at(x, y) {
      const [column, row] = [Math.floor((x * resolution) / 72), Math.floor((y * resolution) / 72)];
      const from = head.length + (row * width + column) * 3;
      return [stdout[from]!, stdout[from + 1]!, stdout[from + 2]!];
    },
  };
}

/** The first image of a file as poppler decodes it, in a PNG; undefined where it is not installed. */
export function imageByPoppler(path: string): Buffer | undefined {
  if (!hasPoppler) return undefined;
  spawnSync('pdfimages', ['-png', path, path]);
  return readFileSync(`${path}-000.png`);
}

/** How alike poppler draws the first page of two files at 72 pixels an inch, dB; undefined where it is not installed. */
export function renderedAlike(one: string, other: string): number | undefined {
  if (!hasPoppler) return undefined;
  const [a, b] = [one, other].map(
    (path) => spawnSync('pdftoppm', ['-r', '72', '-singlefile', path], { maxBuffer: 100_000_000 }).stdout,
  );
  if (a!.length !== b!.length || a!.length === 0) return 0;
  let sum = 0;
  for (let i = 0; i < a!.length; i += 1) sum += (a![i]! - b![i]!) ** 2;
  return 10 * Math.log10(255 ** 2 / Math.max(sum / a!.length, 1e-9));
}

/** A word of the first page, with the centre of its box in points from the left upper corner of the page. */
export interface PlacedWord {
  word: string;
  x: number;
  y: number;
}

/** The words of the first page as poppler places them; undefined where it is not installed. */
export function placedWords(path: string): PlacedWord[] | undefined {
  if (!hasPoppler) return undefined;
  const { stdout } = spawnSync('pdftotext', ['-bbox', '-l', '1', path, '-'], { encoding: 'utf8' });
  return [...stdout.matchAll(/<word xMin="(.*)" yMin="(.*)" xMax="(.*)" yMax="(.*)">(.*)<\/word>/gu)].map(
    ([, x0, y0, x1, y1, word]) => ({
      word: word!,
      x: (Number(x0) + Number(x1)) / 2,
      y: (Number(y0) + Number(y1)) / 2,
    }),
  );
}

/** A word of the first page, with its box in points from the left upper corner of the page. */
export interface BoxedWord {
  word: string;
  box: number[];
}

/** The words of the first page with their boxes as poppler places them; undefined where it is not installed. */
export function boxedWords(path: string): BoxedWord[] | undefined {
  if (!hasPoppler) return undefined;
  const { stdout } = spawnSync('pdftotext', ['-bbox', '-l', '1', path, '-'], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return [...stdout.matchAll(/<word xMin="(.*)" yMin="(.*)" xMax="(.*)" yMax="(.*)">(.*)<\/word>/gu)].map(
    ([, x0, y0, x1, y1, word]) => ({ word: word!, box: [x0, y0, x1, y1].map(Number) }),
  );
}

/** The words of each page as poppler finds them within it; undefined where it is not installed. */
export function wordsOfPages(path: string): string[][] | undefined {
  if (!hasPoppler) return undefined;
  const { stdout } = spawnSync('pdftotext', ['-bbox', path, '-'], { encoding: 'utf8' });
  return stdout
    .split('<page ')
    .slice(1)
    .map((page) => [...page.matchAll(/<word [^>]*>(.*)<\/word>/gu)].map(([, word]) => word!));
}
