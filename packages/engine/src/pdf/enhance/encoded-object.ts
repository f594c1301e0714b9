import type { EncodedImage } from '../images/image-encoder.ts';

/** Upper bound on the dictionary and cross-reference entry of an object, bytes. */
export const OBJECT_BYTES = 600;

export interface EncodedObject {
  number: number;
  image?: EncodedImage;
  /** New mask of the image, if it changes; a mask of one bit is a stencil mask */
  mask?: EncodedImage;
}

/** Returns the bytes that new objects add to a file at most. */
export const bytesOf = (objects: readonly EncodedObject[]): number =>
  objects
    .flatMap(({ image, mask }) => [image, mask])
    .reduce((sum, encoded) => (encoded === undefined ? sum : sum + encoded.data.length + OBJECT_BYTES), 0);
