import type { Picture } from '../../src/image/picture.ts';
import { buildPdf, onePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { xObject } from './made-pictures.ts';
import type { MadePicture } from './non-photographs.ts';
import { flateImage, jpegImage } from './pictures.ts';
import { enhanceBytes, parametersOf, samplesOf } from './support.ts';

/** Mean of each channel, of 255. */
function means({ data, channels }: Pick<Picture, 'data' | 'channels'>): number[] {
  const sums = new Array<number>(channels).fill(0);
  data.forEach((value, i) => (sums[i % channels]! += value));
  return sums.map((sum) => (sum * channels) / data.length);
}

/** One page, with all images side by side at 300 pixels an inch, objects from 10 on. */
export function sheet(images: readonly { dict: string; data: Buffer }[]): Buffer {
  const objects: Objects = Object.fromEntries(images.map((image, i) => [10 + i, xObject(image)]));
  const names = images.map((_, i) => `/Im${i} ${10 + i} 0 R`).join(' ');
  const draws = images.map((_, i) => `q 20 0 0 20 ${(i % 8) * 60} ${Math.floor(i / 8) * 60} cm /Im${i} Do Q`);
  return buildPdf(onePage(draws.join('\n'), `/XObject<<${names}>>`, objects));
}

/**
 * Enhances the pictures in one PDF, half as Flate and half as JPEG.
 * @returns those whose mean colour moved by more than 2 of 255, and by how much
 */
export async function movedColours(made: readonly MadePicture[], path: string): Promise<string[]> {
  const images = await Promise.all(
    made.map(async ({ samples }, i) => (i % 2 === 0 ? flateImage(samples) : jpegImage(samples, 85))),
  );
  const { inputPath, outputPath } = await enhanceBytes(sheet(images), path, parametersOf());
  const moved: string[] = [];
  for (const [i, { name }] of made.entries()) {
    const [before, after] = [means(await samplesOf(inputPath, 10 + i)), means(await samplesOf(outputPath, 10 + i))];
    const most = Math.max(...before.map((value, c) => Math.abs(value - after[c]!)));
    if (most > 2) moved.push(`${name}: ${most.toFixed(1)}`);
  }
  return moved;
}
