import type { PdfParameters } from '../../domain/parameters.ts';
import type { Picture } from '../image/picture.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { enhancePicture } from './enhance-picture.ts';
import { DamagedImage, decodeImage, imageData } from './image-decoder.ts';
import { encodeImage, type EncodedImage } from './image-encoder.ts';
import { readImageFacts } from './image-facts.ts';
import type { ObjectStore } from './object-store.ts';
import type { ImageWork } from './work.ts';

/**
 * Decodes one image, enhances it and codes it again.
 * @param models networks that may enlarge it
 * @returns undefined when it needs nothing: coding it again could only lose
 * @throws DamagedImage when its data does not decode
 */
export async function enhanceImageObject(
  store: ObjectStore,
  work: ImageWork,
  parameters: PdfParameters,
  models?: ModelSet,
): Promise<EncodedImage | undefined> {
  const image = readImageFacts(store, work.number);
  if (image === undefined) throw new DamagedImage('there is no image');
  const source = await decodeImage(store, image);
  const inverted = work.color && image.decode === 'inverted';
  if (inverted) invert(source);
  const { picture, steps } = await enhancePicture(source, work, parameters.customColorConfig, models);
  if (steps.length === 0) return undefined;
  if (inverted) invert(picture);
  return encodeImage(
    picture,
    image,
    image.encoding === 'DCTDecode' ? imageData(store, image).subarray(0, 65_536) : Buffer.alloc(0),
  );
}

/** A `Decode` array that turns black to white stays as it is; so tone must be judged on what is seen, and turned back. */
function invert({ data }: Picture): void {
  const max = data instanceof Uint16Array ? 65_535 : 255;
  for (let i = 0; i < data.length; i += 1) data[i] = max - data[i]!;
}
