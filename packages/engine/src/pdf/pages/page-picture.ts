import { emptySamples, type Picture } from '../../image/picture.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import { decodeImage } from '../images/image-decoder.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { decodeMask, readMaskFacts, type MaskFacts } from '../images/mask.ts';
import { computeExtent, type PicturePart } from './neighbours.ts';
import type { PdfDocument } from '@burnish/pdf';
import { toOpacity, unblend, withoutOpacity } from '../images/opacity.ts';

export interface LoadedPart extends PicturePart {
  image: ImageFacts;
  /** Kind of its mask, if it has one */
  mask: MaskFacts['kind'] | 'in-data' | undefined;
}

/** A picture as a page shows it: an image with its mask, or the strips and tiles of one picture. */
export interface PagePicture {
  /** Pixels */
  width: number;
  height: number;
  parts: LoadedPart[];
  picture: Picture;
  /** The opacity of its masks, 0 to 255, at a size of its own; absent without masks */
  mask: Picture | undefined;
  /** The effective opacity: the mask, and 0 where no part covers the picture; absent when all is visible */
  seen: Picture | undefined;
}

/**
 * Decodes a picture.
 * @param parts parts of the picture; undefined for a single image
 * @throws DamagedImage
 */
export async function loadPicture(
  pdf: PdfDocument,
  number: number,
  parts: readonly PicturePart[] | undefined,
): Promise<PagePicture> {
  if (parts === undefined) return loadOne(pdf, number);
  const { width, height } = computeExtent(parts);
  const loaded: LoadedPart[] = [];
  let picture: Picture | undefined;
  let mask: Picture | undefined;
  let covered = 0;
  for (const part of parts) {
    const one = await loadOne(pdf, part.number);
    if (one.width !== part.width || one.height !== part.height) throw new DamagedImage('a part has another size');
    picture ??= {
      ...one.picture,
      width,
      height,
      data: emptySamples(one.picture, width * height * one.picture.channels),
    };
    paste(one.picture, picture, part);
    if (one.mask) {
      mask ??= { ...one.mask, width, height, data: new Uint8Array(width * height).fill(255) };
      paste(one.mask, mask, part);
    }
    covered += part.width * part.height;
    loaded.push({ ...one.parts[0]!, ...part });
  }
  if (picture === undefined) throw new DamagedImage('there is no image');
  const seen = covered < width * height ? withHoles(mask, picture, parts) : mask;
  return { width, height, parts: loaded, picture, mask, seen };
}

async function loadOne(pdf: PdfDocument, number: number): Promise<PagePicture> {
  const image = readImageFacts(pdf, number);
  if (image === undefined) throw new DamagedImage('there is no image');
  const { width, height } = image;
  const decoded = await decodeImage(pdf, image);
  const part = { number, x: 0, y: 0, width, height, image };
  if (image.mask === 'in-data' && decoded.hasAlpha) {
    const opacity = toOpacity(decoded);
    const picture = withoutOpacity(decoded);
    if (isPremultiplied(pdf, image)) unblend(picture, opacity, []);
    return { width, height, parts: [{ ...part, mask: 'in-data' }], picture, mask: opacity, seen: opacity };
  }
  // An opacity in the data counts only if the PDF uses it.
  const picture = withoutOpacity(decoded);
  const mask = image.mask === 'image' ? readMaskFacts(pdf, image) : undefined;
  if (mask === undefined)
    return { width, height, parts: [{ ...part, mask: undefined }], picture, mask: undefined, seen: undefined };
  const opacity = await decodeMask(pdf, mask);
  if (mask.matte && opacity.width === width && opacity.height === height) unblend(picture, opacity, mask.matte);
  return { width, height, parts: [{ ...part, mask: mask.kind }], picture, mask: opacity, seen: opacity };
}

function isPremultiplied(pdf: PdfDocument, image: ImageFacts): boolean {
  return pdf.resolve(image.stream.dict.get('SMaskInData')) === 2;
}

function paste(from: Picture, to: Picture, { x, y }: { x: number; y: number }): void {
  const row = from.width * from.channels;
  for (let line = 0; line < from.height; line += 1)
    to.data.set(from.data.subarray(line * row, (line + 1) * row), ((y + line) * to.width + x) * to.channels);
}

function withHoles(mask: Picture | undefined, { width, height }: Picture, parts: readonly PicturePart[]): Picture {
  const holes: Picture = {
    data: new Uint8Array(width * height),
    width,
    height,
    channels: 1,
    space: 'grey',
    hasAlpha: false,
  };
  for (const part of parts) {
    const row = new Uint8Array(part.width).fill(255);
    for (let line = 0; line < part.height; line += 1) {
      const at = (part.y + line) * width + part.x;
      holes.data.set(mask ? mask.data.subarray(at, at + part.width) : row, at);
    }
  }
  return holes;
}

/** Returns a part's section of an enlarged picture; its edges match those of its neighbours. */
export function cropShare(
  result: Picture,
  source: { width: number; height: number },
  { x, y, width, height }: Omit<PicturePart, 'number'>,
): Picture {
  const across = (at: number): number => Math.round((at * result.width) / source.width);
  const down = (at: number): number => Math.round((at * result.height) / source.height);
  return cut(result, across(x), down(y), across(x + width) - across(x), down(y + height) - down(y));
}

function cut(picture: Picture, x: number, y: number, width: number, height: number): Picture {
  if (x === 0 && y === 0 && width === picture.width && height === picture.height) return picture;
  const { channels } = picture;
  const data = emptySamples(picture, width * height * channels);
  for (let line = 0; line < height; line += 1) {
    const at = ((y + line) * picture.width + x) * channels;
    data.set(picture.data.subarray(at, at + width * channels), line * width * channels);
  }
  return { ...picture, width, height, data };
}
