import { EngineError, type Fidelity, MAX_OUTPUT_PIXELS } from '@burnish/contract/engine';
import { decode } from './codecs/decode.ts';
import { readSource } from './codecs/source.ts';
import type { Picture } from './picture.ts';
import { measureFidelity } from './steps/back-projection.ts';

export interface VerifyImageInput {
  originalPath: string;
  /** Path of the enlarged result */
  resultPath: string;
}

/**
 * Measures how far the file of an enlarged result, reduced again, is from its original. Both files are decoded.
 * @throws EngineError BAD_USER_INPUT if the sides of the result are no common integer multiple of those of the original, or one has another colour space;
 * CORRUPT_FILE, UNSUPPORTED_MEDIA_TYPE, TOO_MANY_PIXELS
 */
export async function verifyImage({ originalPath, resultPath }: VerifyImageInput): Promise<Fidelity> {
  const [original, result] = [await readSource(originalPath), await readSource(resultPath, MAX_OUTPUT_PIXELS)];
  const { colourSpace } = original.facts;
  const toRgb = colourSpace === 'other' || (colourSpace === 'cmyk' && result.facts.colourSpace !== 'cmyk');
  return await fidelityOfFile(await decode(original, toRgb), resultPath);
}

/** Measures the file of a result against its decoded original. @throws EngineError as `verifyImage` */
export async function fidelityOfFile(original: Picture, resultPath: string): Promise<Fidelity> {
  const result = await decode(await readSource(resultPath, MAX_OUTPUT_PIXELS), false);
  const scale = result.width / original.width;
  if (!Number.isInteger(scale) || result.height !== original.height * scale) {
    const sizes = `${original.width} × ${original.height} and ${result.width} × ${result.height} pixels`;
    const detail = `The files have ${sizes}. The sides of a result must be the same integer multiple of those of its original.`;
    throw new EngineError('BAD_USER_INPUT', { detail });
  }
  if (
    (original.space === 'cmyk') !== (result.space === 'cmyk') ||
    (original.space === 'rgb' && result.space === 'grey')
  ) {
    throw new EngineError('BAD_USER_INPUT', {
      detail: 'The files have different colour spaces, so they cannot be compared.',
    });
  }
  return measureFidelity(original, result);
}
