import type { PdfParameters, ColorConfig } from '../../../domain/enhancement/parameters.ts';
import { enhancePixels, type EnhancePixelsOptions } from '../../image/enhance-pixels.ts';
import { colourChannels, maxSample, type Picture } from '../../image/picture.ts';
import { NO_MODELS, type ModelSet } from '../../neural/model-set.ts';
import { imageData } from '../images/image-decoder.ts';
import { encodeImage, encodeMask, type EncodedImage } from '../images/image-encoder.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import { isOpaque, maskOfSize, withCoarseEdges, withFringe, withOpacity, withoutOpacity } from '../images/opacity.ts';
import { loadPicture, cropShare, type LoadedPart, type PagePicture } from '../pages/page-picture.ts';
import { isPdfA } from '../document/signature.ts';
import type { ImageWork } from '../analyze/work.ts';

export interface EncodedObject {
  number: number;
  image?: EncodedImage;
  /** New mask of the image, if it changes; a mask of one bit is a stencil mask */
  mask?: EncodedImage;
}

/**
 * @param models networks available for its enlargement
 * @returns undefined when it needs nothing: coding it again could only lose quality
 * @throws DamagedImage when its data does not decode
 */
export async function enhancePictureObjects(
  pdf: PdfDocument,
  work: ImageWork,
  parameters: PdfParameters,
  models: ModelSet = NO_MODELS,
): Promise<EncodedObject[] | undefined> {
  const page = await loadPicture(pdf, work.number, work.parts);
  const picture = await enhanceColours(page, work, parameters, models);
  const isMaskSame = work.mask?.width === page.mask?.width && work.mask?.height === page.mask?.height;
  if (picture === undefined && isMaskSame) return undefined;
  const mask = await enhanceMask(page, work, models);
  if (picture === undefined && mask === undefined) return undefined;
  const [stencils, palettes] = [isPdfA(pdf), pdf.encryption === undefined];
  const scale = Math.min(work.width / page.width, work.height / page.height);
  const objects: EncodedObject[] = [];
  for (const part of page.parts) {
    const object: EncodedObject = { number: part.number };
    if (picture)
      object.image = await encodeImage(extractPart(picture, page, part), part.image, {
        source: codedData(pdf, part),
        palettes,
        scale,
        photograph: work.photograph ?? false,
        ...(parameters.pdfQuality !== undefined && { quality: parameters.pdfQuality }),
      });
    if (mask && part.mask)
      object.mask = await encodeMask(
        extractPart(mask, page, part),
        part.mask === 'stencil' && stencils ? 'stencil' : 'soft',
      );
    objects.push(object);
  }
  return objects;
}

/** @returns undefined when the samples do not change */
async function enhanceColours(
  page: PagePicture,
  work: ImageWork,
  parameters: PdfParameters,
  models: ModelSet,
): Promise<Picture | undefined> {
  const isResized = work.width !== page.width || work.height !== page.height;
  if (!work.color && !isResized) return undefined;
  const seen = page.seen && !isOpaque(page.seen) ? maskOfSize(page.seen, page.width, page.height) : undefined;
  const source = seen ? withOpacity(page.picture, seen) : page.picture;
  const inverted = work.color && page.parts[0]?.image.decode === 'inverted';
  if (inverted) invert(source);
  const { picture, steps } = await enhancePicture(source, work, parameters.customColorConfig, models);
  if (steps.length === 0) return undefined;
  if (inverted) invert(picture);
  return isResized ? withFringe(picture) : withoutOpacity(picture);
}

/**
 * Resizes the mask as a separate picture, since often the mask alone defines the visible shape. A mask is also written
 * again with the samples when it was stored with them or when they were preblended with it.
 */
async function enhanceMask(
  page: PagePicture,
  { mask: size }: ImageWork,
  models: ModelSet,
): Promise<Picture | undefined> {
  if (page.mask === undefined || size === undefined) return undefined;
  const options = { ...size, mode: 'OFF', models } as const;
  const { picture } = await enhancePixels(page.mask, options);
  return size.width === page.mask.width && size.height === page.mask.height ? picture : withCoarseEdges(picture);
}

/** Returns the section of the result that belongs to one part. */
function extractPart(result: Picture, page: PagePicture, { x, y, width, height }: LoadedPart): Picture {
  // The mask of a single image may have another size.
  return cropShare(result, page.parts.length > 1 ? page : { width, height }, { x, y, width, height });
}

/** Returns the data that shows how a JPEG was coded. */
function codedData(pdf: PdfDocument, { image }: LoadedPart): Buffer {
  return image.encoding === 'DCTDecode' ? imageData(pdf, image).subarray(0, 65_536) : Buffer.alloc(0);
}

/**
 * An inverting `Decode` array stays. The samples are inverted for judging the tone of the visible colours, and inverted
 * back.
 */
function invert(picture: Picture): void {
  const { data, channels } = picture;
  const colours = colourChannels(picture);
  const max = maxSample(picture);
  for (let at = 0; at < data.length; at += channels)
    for (let c = at; c < at + colours; c += 1) data[c] = max - data[c]!;
}

/**
 * Enhances decoded samples with the pipeline of the image engine, so that an image in a PDF gets the same result as a
 * single one.
 * @returns the result and the steps that changed it; none when the image needs nothing
 */
export function enhancePicture(
  picture: Picture,
  { width, height, color }: ImageWork,
  config: ColorConfig,
  models: ModelSet = NO_MODELS,
): Promise<{ picture: Picture; steps: string[] }> {
  const options: EnhancePixelsOptions = { width, height, models, mode: color && config.auto ? 'ENHANCE' : 'OFF' };
  if (color) options.colour = config;
  return enhancePixels(picture, options);
}
