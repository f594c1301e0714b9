import type { Picture } from '../../image/picture.ts';
import type { ImageWork } from '../analyze/work.ts';
import type { PdfDocument } from '@burnish/pdf';
import { encodeBilevel } from '../images/bilevel-encoder.ts';
import { enlargeBilevel } from '../images/bilevel-smooth.ts';
import { gainsByEnlarging } from '../images/bilevel-text.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import { decodeImage } from '../images/image-decoder.ts';
import { readImageFacts } from '../images/image-facts.ts';
import { isFlat } from '../images/opacity.ts';
import { computeExtent, type PicturePart } from '../pages/neighbours.ts';
import { paste, cropShare } from '../pages/page-picture.ts';
import type { EncodedObject } from './encoded-object.ts';

const GREY = { family: 'grey', components: 1 } as const;

/**
 * Enlarges a one-bit picture with smooth edges. Its samples keep their meaning: colour space, palette and `Decode`
 * stay.
 * @returns the reason to keep it: all its pixels have one colour, so that its size has no effect, or its letters have
 * a height that gains nothing
 * @throws DamagedImage when its data does not decode
 */
export async function enhanceBilevelObjects(
  pdf: PdfDocument,
  { number, parts, width, height }: ImageWork,
): Promise<EncodedObject[] | 'single-color' | 'letters'> {
  const { whole, placed } = await load(pdf, number, parts);
  if (isFlat(whole)) return 'single-color';
  if (!gainsByEnlarging(whole)) return 'letters';
  const result = enlargeBilevel(whole, width, height);
  const objects: EncodedObject[] = [];
  for (const part of placed)
    objects.push({ number: part.number, image: await encodeBilevel(cropShare(result, whole, part)) });
  return objects;
}

async function load(
  pdf: PdfDocument,
  number: number,
  parts: readonly PicturePart[] | undefined,
): Promise<{ whole: Picture; placed: readonly PicturePart[] }> {
  if (parts === undefined) {
    const whole = await decodeSamples(pdf, number);
    return { whole, placed: [{ number, x: 0, y: 0, width: whole.width, height: whole.height }] };
  }
  const { width, height } = computeExtent(parts);
  const data = new Uint8Array(width * height).fill(255);
  const whole: Picture = { data, width, height, channels: 1, space: 'grey', hasAlpha: false };
  for (const part of parts) {
    const one = await decodeSamples(pdf, part.number);
    if (one.width !== part.width || one.height !== part.height) throw new DamagedImage('a part has another size');
    paste(one, whole, part);
  }
  return { whole, placed: parts };
}

/** Returns the bits as 0 and 255, without the colour space. */
async function decodeSamples(pdf: PdfDocument, number: number): Promise<Picture> {
  const image = readImageFacts(pdf, number);
  if (image === undefined) throw new DamagedImage('there is no image');
  return decodeImage(pdf, { ...image, color: GREY });
}
