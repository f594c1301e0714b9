import type { Picture } from '../../image/picture.ts';
import { MAX_INPUT_PIXELS, MAX_SIDE } from '../../limits.ts';
import { decodeImage } from './image-decoder.ts';
import { readImageFacts, type ImageFacts } from './image-facts.ts';
import { isStream, type PdfDocument, type PdfValue } from '@burnish/pdf';

/** The mask that defines the opacity of an image (ISO 32000-1 sections 8.9.6.3 and 11.6.5.3). */
export interface MaskFacts {
  image: ImageFacts;
  /** Pixels */
  width: number;
  height: number;
  kind: 'soft' | 'stencil';
  /** The colour that the image is preblended with, 0..1 per component, in the image's colour space */
  matte: readonly number[] | undefined;
}

const GREY = { family: 'grey', components: 1 } as const;

/** @returns undefined when the image has no mask, or one that does not decode */
export function readMaskFacts(pdf: PdfDocument, image: ImageFacts): MaskFacts | undefined {
  const { dict } = image.stream;
  const soft = pdf.resolve(dict.get('SMask'));
  const explicit = pdf.resolve(dict.get('Mask'));
  const stream = isStream(soft) ? soft : isStream(explicit) ? explicit : undefined;
  const found = stream && readImageFacts(pdf, stream.number);
  if (!found) return undefined;
  const kind = stream === soft ? 'soft' : 'stencil';
  const facts: ImageFacts = { ...found, color: GREY };
  if (!(kind === 'stencil' ? isReadableStencil(found) : isReadableSoftMask(found))) return undefined;
  const matte = kind === 'soft' ? readMatte(pdf, stream.dict.get('Matte')) : undefined;
  return { image: facts, width: facts.width, height: facts.height, kind, matte };
}

function hasSize({ width, height }: ImageFacts): boolean {
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_INPUT_PIXELS;
}

function isReadableStencil(mask: ImageFacts): boolean {
  return mask.stencil && mask.encoding === undefined && mask.decode !== 'other' && hasSize(mask);
}

function isReadableSoftMask(mask: ImageFacts): boolean {
  const { encoding, bits, color, decode, jpeg, jpx } = mask;
  if (mask.stencil || decode === 'other' || !hasSize(mask)) return false;
  if (encoding === 'JPXDecode') return jpx?.components === 1 && jpx.precision === 8 && jpx.plain && !jpx.special;
  if (color.family !== 'grey') return false;
  if (encoding === 'DCTDecode') return jpeg?.components === 1 && jpeg.common && jpeg.precision === 8;
  return encoding === undefined && [1, 2, 4, 8, 16].includes(bits);
}

function readMatte(pdf: PdfDocument, value: PdfValue | undefined): number[] | undefined {
  const matte = pdf.resolve(value);
  if (!Array.isArray(matte)) return undefined;
  return matte.map((each) => {
    const component = pdf.resolve(each);
    return typeof component === 'number' ? component : 0;
  });
}

/** Decodes the opacity of each pixel, 0 to 255. @throws DamagedImage */
export async function decodeMask(pdf: PdfDocument, { image, kind }: MaskFacts): Promise<Picture> {
  const { data, width, height } = await decodeImage(pdf, image);
  const opacity = data instanceof Uint16Array ? Uint8Array.from(data, (sample) => sample >> 8) : Uint8Array.from(data);
  // A stencil mask paints at 0; a soft mask is transparent at 0.
  if ((image.decode === 'inverted') !== (kind === 'stencil')) {
    for (let i = 0; i < opacity.length; i += 1) opacity[i] = 255 - opacity[i]!;
  }
  return { data: opacity, width, height, channels: 1, space: 'grey', hasAlpha: false };
}
