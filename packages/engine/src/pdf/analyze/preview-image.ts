import type { Sharp } from 'sharp';
import { EngineError } from '@burnish/contract/engine';
import { openPicture, writePreview } from '../../image/preview.ts';
import type { Picture } from '../../image/picture.ts';
import { decoderFailure } from '../../image/codecs/sharp.ts';
import { hasPreview } from './eligibility.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import type { PdfDocument } from '@burnish/pdf';
import { decodeMask, readMaskFacts } from '../images/mask.ts';
import { maskOfSize, withoutOpacity } from '../images/opacity.ts';
import { shownColours, withoutInversion } from '../images/shown-colours.ts';
import { withPdf } from '../with-pdf.ts';
import { createThumbnail } from './thumbnail.ts';

export interface PreviewPdfImageInput {
  inputPath: string;
  password?: string;
  outputPath: string;
  number: number;
  /** Longest side, pixels; null for the image's own size */
  side: number | null;
}

/**
 * Makes a copy of one image of a PDF for browsers, composited on white paper by its mask. It does not apply the
 * profiles of the PDF.
 * @throws EngineError NOT_FOUND when it is no image that could be enhanced; CORRUPT_FILE; as opening a PDF
 */
export async function previewPdfImage({
  inputPath,
  password,
  outputPath,
  number,
  side,
}: PreviewPdfImageInput): Promise<void> {
  try {
    await withPdf({ inputPath, password }, async (pdf) => {
      const image = readImageFacts(pdf, number);
      if (image === undefined || !hasPreview(image)) {
        throw new EngineError('NOT_FOUND', { detail: 'The PDF has no displayable image with this number.' });
      }
      await writePreview(await onPaper(pdf, image, side ?? MAX_SIDE), side, outputPath);
    });
  } catch (error) {
    if (error instanceof DamagedImage) throw new EngineError('CORRUPT_FILE', { cause: error });
    throw decoderFailure(error);
  }
}

/** No image is longer than this, pixels. */
const MAX_SIDE = 100_000;

/** Composites an image on white. Its fully transparent pixels may have any colour. */
async function onPaper(pdf: PdfDocument, given: ImageFacts, side: number): Promise<Sharp> {
  // A stencil mask paints with a colour of the page; the preview uses black.
  const image: ImageFacts = given.stencil ? { ...given, color: { family: 'grey', components: 1 } } : given;
  const { thumbnail } = await createThumbnail(pdf, image, side);
  const colours = openPicture(seen(withoutOpacity(thumbnail), image));
  const mask = await loadOpacity(pdf, image, thumbnail);
  if (mask === undefined) return colours;
  const { width, height } = thumbnail;
  const data = await colours.toColourspace('srgb').removeAlpha().raw().toBuffer();
  const opacity = maskOfSize(mask.opacity, width, height).data;
  // Preblended colours (ISO 32000-1 section 11.6.5.3) contain a share of the matte; white replaces that share.
  for (let at = 0; at < data.length; at += 1) {
    const shown = opacity[Math.floor(at / 3)]! / 255;
    const matte = mask.matte && 255 * (mask.matte[at % 3] ?? mask.matte[0] ?? 0);
    data[at] = matte === undefined ? 255 - (255 - data[at]!) * shown : data[at]! + (1 - shown) * (255 - matte) + 0.5;
  }
  return openPicture({ data, width, height, channels: 3, space: 'rgb', hasAlpha: false });
}

/** @returns undefined when the whole image is visible, or its mask is unreadable */
async function loadOpacity(
  pdf: PdfDocument,
  image: ImageFacts,
  { data, width, height, channels, hasAlpha }: Picture,
): Promise<{ opacity: Picture; matte: readonly number[] | undefined } | undefined> {
  const shape = { channels: 1, space: 'grey', hasAlpha: false } as const;
  if (hasAlpha) {
    const opacity = data.filter((_, i) => i % channels === channels - 1);
    const isBlended = pdf.resolve(image.stream.dict.get('SMaskInData')) === 2;
    return { opacity: { data: opacity, width, height, ...shape }, matte: isBlended ? [0] : undefined };
  }
  const facts = readMaskFacts(pdf, image);
  try {
    return facts && { opacity: await decodeMask(pdf, facts), matte: facts.matte };
  } catch (error) {
    if (error instanceof DamagedImage) return undefined;
    throw error;
  }
}

const seen = (picture: Picture, image: ImageFacts): Picture =>
  shownColours(withoutInversion(picture, image), image.color);
