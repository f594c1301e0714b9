import type { KindOfImage } from '@burnish/contract/engine';
import { colourChannels, type Picture } from '../../image/picture.ts';
import { tellKind } from './picture-kind.ts';
import type { Thumb } from './picture-features.ts';
import type { MaskLayer } from './facts.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import type { ImageFacts } from '../images/image-facts.ts';
import { decodeMask, readMaskFacts } from '../images/mask.ts';
import { computeExtent, type PicturePart } from '../pages/neighbours.ts';
import type { PdfDocument } from '@burnish/pdf';
import { isFlat, toOpacity, withoutOpacity } from '../images/opacity.ts';
import { withoutInversion } from '../images/shown-colours.ts';
import { THUMBNAIL_SIDE, createThumbnail } from './thumbnail.ts';

export interface Judgement {
  /** What the visible part of the picture shows */
  kind: KindOfImage;
  /** All samples are of one colour */
  flat: boolean;
  /** The samples form even blocks of a few colours, as in a code or a checkerboard */
  blocks: boolean;
  mask: Omit<MaskLayer, 'resolution' | 'bytes'> | undefined;
  /** The mask hides the picture completely */
  invisible: boolean;
}

export type JudgedPart = PicturePart & { image: ImageFacts };

/** Maximum difference between the samples of a JPEG of one colour, of 255. */
const JPEG_STEPS = 2;
/** A pixel counts as visible from this opacity, of 255. */
const SEEN = 128;

interface Look {
  /** Colours without opacity, 8 bits */
  thumbnail: Picture;
  flat: boolean;
  blocks: boolean;
  opacity: Picture | undefined;
  bound: boolean;
}

/**
 * Decodes each image of a picture once, reduced where its coding allows. The thumbnail without its masked pixels shows
 * whether the image decodes and resembles a photograph.
 * @param slot slot of the memory for raw data
 * @returns 'damaged' when one of them does not decode
 */
export async function judgePicture(
  pdf: PdfDocument,
  parts: readonly JudgedPart[],
  slot: number,
): Promise<Judgement | 'damaged'> {
  const { width, height } = computeExtent(parts);
  const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height));
  const whole = createWhole(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)), scale);
  const looks: Look[] = [];
  try {
    for (const part of parts) {
      const look = await lookAt(
        pdf,
        part.image,
        Math.max(1, Math.ceil(Math.max(part.width, part.height) * scale)),
        slot,
      );
      whole.put(part, look);
      // The later steps need only the facts of the picture.
      looks.push(parts.length === 1 ? look : { ...look, thumbnail: EMPTY, opacity: look.opacity && EMPTY });
    }
  } catch (error) {
    if (error instanceof DamagedImage) return 'damaged';
    throw error;
  }
  const { data, seen, channels } = whole.result();
  const masked = looks.filter(({ opacity }) => opacity !== undefined);
  const [{ opacity, bound }] = looks as [Look];
  const maskSize = parts.length > 1 ? { width, height } : opacity && { width: opacity.width, height: opacity.height };
  return {
    kind: tellKind(toLight({ data, width: whole.width, height: whole.height, channels }), seen, { width, height }),
    flat: looks.every(({ flat }) => flat) && (parts.length === 1 || isFlat({ ...EMPTY, data, channels })),
    blocks: parts.length === 1 && looks[0]!.blocks,
    mask:
      masked.length > 0 && maskSize
        ? { ...maskSize, ...(whole.isMaskFlat() && { flat: true }), ...(bound && { bound: true }) }
        : undefined,
    invisible: whole.isInvisible(),
  };
}

const EMPTY: Picture = { data: new Uint8Array(0), width: 0, height: 0, channels: 1, space: 'grey', hasAlpha: false };

/** Returns the picture in light, from ink amounts too: enough to tell its kind. */
function toLight(picture: Thumb): Thumb {
  if (picture.channels !== 4) return picture;
  const data = Uint8Array.from({ length: picture.width * picture.height * 3 }, (_, i) => {
    const at = Math.floor(i / 3) * 4;
    return ((255 - picture.data[at + (i % 3)]!) * (255 - picture.data[at + 3]!)) / 255;
  });
  return { ...picture, data, channels: 3 };
}

async function lookAt(pdf: PdfDocument, image: ImageFacts, side: number, slot: number): Promise<Look> {
  const { thumbnail: coded, full } = await createThumbnail(pdf, image, side, slot);
  const thumbnail = withoutInversion(coded, image);
  const flat = full ? isFlat(full) : isNearlyFlat(thumbnail);
  const blocks = full !== undefined && isOfBlocks(full);
  if (image.mask === 'in-data' && full?.hasAlpha)
    return { thumbnail: withoutOpacity(thumbnail), flat, blocks, opacity: toOpacity(full), bound: true };
  const mask = image.mask === 'image' ? readMaskFacts(pdf, image) : undefined;
  // A mask of another size cannot separate blended samples from their background.
  if (mask?.matte && (mask.width !== image.width || mask.height !== image.height))
    throw new DamagedImage('a mask is amiss');
  return {
    thumbnail: withoutOpacity(thumbnail),
    flat: flat && !mask?.matte,
    blocks: blocks && !mask?.matte,
    opacity: mask && (await decodeMask(pdf, mask)),
    bound: mask?.matte !== undefined,
  };
}

/** Sides of a block, pixels; 4 and 6 are multiples. */
const BLOCK_SIDES = [2, 3, 5];
/** A picture of more colours may be a photograph that a program has enlarged by repeating its pixels. */
const MAX_BLOCK_COLOURS = 16;

/** Returns whether a picture is a smaller one with repeated pixels. Its edges are sharp at any size, and a filter would round them. */
function isOfBlocks(picture: Picture): boolean {
  const { data, width, height, channels } = picture;
  const isRepeated = (side: number): boolean => {
    const colours = new Set<string>();
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const at = (y * width + x) * channels;
        const first = ((y - (y % side)) * width + x - (x % side)) * channels;
        for (let c = 0; c < channels; c += 1) if (data[at + c] !== data[first + c]) return false;
        if (at !== first) continue;
        colours.add(data.subarray(at, at + channels).join());
        if (colours.size > MAX_BLOCK_COLOURS) return false;
      }
    return true;
  };
  return BLOCK_SIDES.some((side) => width % side === 0 && height % side === 0 && isRepeated(side));
}

function isNearlyFlat({ data }: Picture): boolean {
  let [low, high] = [255, 0];
  for (const value of data) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low <= JPEG_STEPS;
}

function createWhole(width: number, height: number, scale: number) {
  let channels = 0;
  let data = new Uint8Array(0);
  const seen = new Uint8Array(width * height);
  const opacities = new Set<number>();

  return {
    width,
    height,
    put(part: PicturePart, { thumbnail, opacity }: Look): void {
      if (channels === 0) {
        channels = colourChannels(thumbnail);
        data = new Uint8Array(width * height * channels);
      }
      if (opacity) for (const value of opacity.data) opacities.add(value);
      const [bottom, right] = [Math.ceil((part.y + part.height) * scale), Math.ceil((part.x + part.width) * scale)];
      for (let y = Math.floor(part.y * scale); y < Math.min(height, bottom); y += 1) {
        const down = within((y + 0.5) / scale - part.y, part.height);
        for (let x = Math.floor(part.x * scale); x < Math.min(width, right); x += 1) {
          const across = within((x + 0.5) / scale - part.x, part.width);
          const from = placeIn(thumbnail, across, down) * channels;
          const to = y * width + x;
          for (let c = 0; c < channels; c += 1) data[to * channels + c] = thumbnail.data[from + c]!;
          seen[to] = opacity === undefined || opacity.data[placeIn(opacity, across, down)]! >= SEEN ? 1 : 0;
        }
      }
    },
    isMaskFlat: () => opacities.size <= 1,
    isInvisible: () => opacities.size === 1 && opacities.has(0) && !seen.includes(1),
    result: () => ({ data, seen, channels }),
  };
}

/** Ratio `at / length`, clamped to 0..1. */
const within = (at: number, length: number): number => Math.max(0, Math.min(1, at / length));

function placeIn({ width, height }: Picture, across: number, down: number): number {
  return Math.min(height - 1, Math.floor(down * height)) * width + Math.min(width - 1, Math.floor(across * width));
}
