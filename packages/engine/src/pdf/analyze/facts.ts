import { readFile, writeFile } from 'node:fs/promises';
import type { FACTS_FORMAT, LeftAloneReason, KindOfImage } from '@burnish/contract/engine';
import type { PicturePart } from '../pages/neighbours.ts';

/** Facts of the mask that defines the opacity of a picture. */
export interface MaskLayer {
  /** Pixels */
  width: number;
  height: number;
  /** Lowest drawn resolution, pixels per inch */
  resolution: number | null;
  /** The opacity is uniform, so the size of the mask has no effect */
  flat?: true;
  /** The mask must be written together with the image: the image's samples contain it or were blended with it */
  bound?: true;
  /** Stored bytes; 0 if the image's data contains it */
  bytes: number;
}

/**
 * A picture eligible for at least one kind of enhancement: an image with its mask, or the strips and tiles of one
 * picture.
 */
export interface EligibleImage {
  number: number;
  /** Pixels */
  width: number;
  height: number;
  /** Lowest drawn resolution, pixels per inch; null when all its draws have no extent */
  resolution: number | null;
  /** Its tone and colour may change: its samples are light, and it is no mask */
  color: boolean;
  shows: KindOfImage;
  /** It covers most of a page */
  page?: true;
  /** Numbers of the pages that draw it, or a part of it, from 1 */
  drawnOn: number[];
  coding: 'jpeg' | 'jpx' | 'lossless';
  /** Stored bytes of the samples of all its parts */
  bytes: number;
  /** Longest side that its encoding allows, pixels */
  maxSide: number;
  /** Maximum pixels of its result, limited by memory */
  maxPixels: number;
  mask?: MaskLayer;
  /** The samples are of one colour, or too few to judge: only the size of the mask matters */
  fixed?: true;
  /** All draws of the picture are in layers that are off when the document opens */
  hidden?: true;
  parts?: PicturePart[];
}

/** A one-bit picture. It never changes, but its text may be read. The analysis decodes none of its samples. */
export type BilevelPicture = Pick<
  EligibleImage,
  'number' | 'width' | 'height' | 'page' | 'drawnOn' | 'hidden' | 'parts'
> & {
  reason: LeftAloneReason;
};

export interface LeftAlone {
  reason: LeftAloneReason;
  count: number;
}

/**
 * Facts of a PDF that depend on no parameter, as JSON of about 100 bytes per eligible image. The number of images
 * counts distinct objects. Masks and alternates belong to their image and do not count.
 */
export interface PdfFacts {
  format: typeof FACTS_FORMAT;
  /** Size of the file, bytes: facts with another size belong to another file */
  fileBytes: number;
  pages: number;
  images: number;
  eligible: EligibleImage[];
  bilevel: BilevelPicture[];
  leftAlone: LeftAlone[];
  /** Pages that show blank paper, in order; absent without any */
  blank?: number[];
  signed: boolean;
  /** The cross-reference table was broken and was rebuilt */
  rebuilt: boolean;
}

/** Stores the facts of a PDF in a file, so that the engine decides only once which images are eligible. */
export async function writeFacts(path: string, facts: PdfFacts): Promise<void> {
  await writeFile(path, JSON.stringify(facts));
}

export async function readFacts(path: string): Promise<PdfFacts> {
  return JSON.parse(await readFile(path, 'utf8')) as PdfFacts;
}
