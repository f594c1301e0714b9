import { readFile, writeFile } from 'node:fs/promises';
import type { FACTS_FORMAT } from '../../../domain/files/object-keys.ts';
import type { LeftAloneReason } from './eligibility.ts';
import type { PicturePart } from '../pages/neighbours.ts';

/** What says how much of a picture is seen. */
export interface MaskLayer {
  /** Pixels */
  width: number;
  height: number;
  /** Lowest resolution at which it is drawn, pixels an inch */
  resolution: number | null;
  /** It is as clear everywhere: its size changes nothing */
  flat?: true;
  /** It has to be written with the image, whose samples hold it or had been blended by it */
  bound?: true;
  /** Stored bytes; 0 if it is part of the image's data */
  bytes: number;
}

/** A picture that may be enhanced in one way at least: an image with its mask, or the strips and tiles of one. */
export interface EligibleImage {
  /** Object number; of the first, where there are parts */
  number: number;
  /** Pixels */
  width: number;
  height: number;
  /** Lowest resolution at which it is drawn, pixels an inch; null when it is only drawn without extent */
  resolution: number | null;
  /** Whether it has the size and the variation of colour of a photograph */
  color: boolean;
  /** Coding of its samples */
  coding: 'jpeg' | 'jpx' | 'lossless';
  /** Stored bytes of its samples, of all its parts */
  bytes: number;
  /** Longest side that its encoding can hold, pixels */
  maxSide: number;
  /** Most pixels of its result, by their memory */
  maxPixels: number;
  mask?: MaskLayer;
  /** Its samples are of one colour, or too few to tell of: only its mask has a size that matters */
  fixed?: true;
  /** It is drawn in layers only that are off when the document is opened */
  hidden?: true;
  /** The images that it is made of, where there are several */
  parts?: PicturePart[];
}

/** A picture of one bit a pixel, whose edges are smoothed where a caller asks for that. No sample of it was looked at. */
export type BilevelPicture = Pick<
  EligibleImage,
  'number' | 'width' | 'height' | 'resolution' | 'bytes' | 'maxSide' | 'maxPixels' | 'hidden' | 'parts'
> & {
  /** Why it is left alone otherwise; of all its parts */
  reason: LeftAloneReason;
};

export interface LeftAlone {
  reason: LeftAloneReason;
  count: number;
}

/**
 * Facts of a PDF that depend on no parameter: JSON, some 100 bytes an eligible image. The number of images is that of
 * distinct objects; masks and alternates belong to their image and are not counted.
 */
export interface PdfFacts {
  format: typeof FACTS_FORMAT;
  /** Size of the file, bytes: facts of another file are not taken for this one's */
  fileBytes: number;
  pages: number;
  images: number;
  eligible: EligibleImage[];
  /** Images of one bit; `leftAlone` counts them too */
  bilevel: BilevelPicture[];
  leftAlone: LeftAlone[];
  signed: boolean;
  /** The cross-reference table was broken and had to be rebuilt */
  rebuilt: boolean;
}

/** Keeps the facts of a PDF in a file, so that the engine decides once which images are eligible. */
export async function writeFacts(path: string, facts: PdfFacts): Promise<void> {
  await writeFile(path, JSON.stringify(facts));
}

/** Reads what `writeFacts` wrote. */
export async function readFacts(path: string): Promise<PdfFacts> {
  return JSON.parse(await readFile(path, 'utf8')) as PdfFacts;
}
