import { invert, multiply, type Matrix } from '../pages/matrix.ts';
import type { ScanOfPage } from './scan-of-page.ts';

/**
 * Returns the matrix that moves the user space of a page with the ink of its scan.
 * @param degrees the skew that was undone about the centre of the scan, clockwise on the screen
 */
export function matrixOfTurn({ pixels, width, height }: ScanOfPage, degrees: number): Matrix {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const [x, y] = [width / 2, height / 2];
  const turn: Matrix = [cos, -sin, sin, cos, x - x * cos - y * sin, y + x * sin - y * cos];
  return multiply(multiply(invert(pixels)!, turn), pixels);
}

/**
 * Returns the content of a page in a turned user space. The samples of the scan are turned already, so its draws undo
 * the turn.
 */
export function turnContent({ content: read, draws, unclosed }: ScanOfPage, turn: Matrix): Buffer {
  const content = read();
  const back = invert(turn)!;
  const pieces: Buffer[] = [];
  const write = (text: string): void => void pieces.push(Buffer.from(text, 'latin1'));
  let done = 0;
  write(`q ${inContent(turn)} cm\n`);
  for (const { matrix, from, to } of draws) {
    pieces.push(content.subarray(done, from));
    write(`q ${inContent(multiply(multiply(matrix, back), invert(matrix)!))} cm `);
    pieces.push(content.subarray(from, to));
    write(' Q');
    done = to;
  }
  pieces.push(content.subarray(done));
  write(`\n${'Q '.repeat(unclosed + 1)}`);
  return Buffer.concat(pieces);
}

/** Writes a matrix without exponents. Eight decimals keep a point of a page within a thousandth of its place. */
export const inContent = (matrix: Matrix): string =>
  matrix
    .map((value) =>
      Number(value.toFixed(8))
        .toFixed(8)
        .replace(/\.?0+$/u, ''),
    )
    .join(' ');
