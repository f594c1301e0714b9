import { rm, stat } from 'node:fs/promises';
import { EngineError, formatNumber, OUTPUT_FORMAT_FACTS, type ImageNote } from '@burnish/contract/engine';
import type { Picture } from '../picture.ts';
import { fitQuality, LEAST_QUALITY } from './fit-quality.ts';
import { encode, type EncodeOptions } from './output-formats.ts';

/**
 * Writes a result that is larger than a limit again, with the largest quality that fits.
 * @param path of the written result; it is removed where none fits
 * @returns the note on the quality; none for a result within the limit
 * @throws EngineError RESULT_TOO_LARGE
 */
export async function fitBytes(
  picture: Picture,
  path: string,
  coding: EncodeOptions,
  mostBytes: number,
): Promise<ImageNote[]> {
  const { format, jpeg } = coding;
  let { size } = await stat(path);
  if (size <= mostBytes) return [];
  const hasQuality = OUTPUT_FORMAT_FACTS[format].hasQuality;
  let written = jpeg.quality;
  const code = async (quality: number): Promise<number> => {
    await encode(picture, path, { ...coding, jpeg: { ...jpeg, quality, lossless: false } });
    written = quality;
    return (size = (await stat(path)).size);
  };
  const below = jpeg.lossless ? 101 : jpeg.quality;
  const fitted = hasQuality ? await fitQuality(below, code, (bytes) => bytes <= mostBytes) : undefined;
  if (fitted === undefined) {
    await rm(path, { force: true });
    throw tooLarge(`${formatNumber(size)} bytes${hasQuality ? ` at quality ${LEAST_QUALITY}` : ''}`, format, mostBytes);
  }
  if (written !== fitted.quality) await code(fitted.quality);
  return [{ code: 'QUALITY_FITTED', quality: fitted.quality, mostBytes }];
}

function tooLarge(size: string, format: keyof typeof OUTPUT_FORMAT_FACTS, mostBytes: number): EngineError {
  const remedy = OUTPUT_FORMAT_FACTS[format].hasQuality
    ? 'Set a greater maxBytes, or a smaller size in pixels.'
    : 'Set outputFormat to JPEG, WEBP or AVIF, or set a greater maxBytes.';
  const detail = `The result in ${format} has ${size}, and maxBytes is ${formatNumber(mostBytes)}. ${remedy}`;
  return new EngineError('RESULT_TOO_LARGE', { field: 'maxBytes', detail });
}
