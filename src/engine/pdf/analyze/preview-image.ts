import type { Sharp } from 'sharp';
import { Failure } from '../../../domain/failures.ts';
import { openPicture, writePreview } from '../../image/preview.ts';
import type { Picture } from '../../image/picture.ts';
import { decoderFailure } from '../../image/codecs/sharp.ts';
import { hasPreview } from './eligibility.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { openPdfDocument, type PdfDocument } from '../document/pdf-document.ts';
import { decodeMask, readMaskFacts } from '../images/mask.ts';
import { maskOfSize, withoutOpacity } from '../images/opacity.ts';
import { shownColours } from '../images/shown-colours.ts';
import { thumbnailOf } from './thumbnail.ts';

export interface PreviewPdfImageInput {
  /** Local path of the PDF, an original or a result */
  inputPath: string;
  /** Of the user or the owner, where the file is encrypted */
  password?: string;
  /** Where the preview is written, as WebP */
  outputPath: string;
  /** Object number of the image */
  number: number;
  /** Longest side, pixels; null for the image's own */
  side: number | null;
}

/**
 * Makes a copy of one image of a PDF that browsers can show, on white paper where its mask hides it. Profiles of the PDF are not applied.
 * @throws Failure NOT_FOUND when it is no image that could be enhanced; CORRUPT_FILE; as opening a PDF
 */
export async function previewPdfImage({
  inputPath,
  password,
  outputPath,
  number,
  side,
}: PreviewPdfImageInput): Promise<void> {
  const pdf = openPdfDocument(inputPath, password);
  try {
    const image = readImageFacts(pdf, number);
    if (image === undefined || !hasPreview(image)) {
      throw new Failure('NOT_FOUND', { detail: 'The PDF has no such image that could be shown.' });
    }
    await writePreview(await onPaper(pdf, image, side ?? MAX_SIDE), side, outputPath);
  } catch (error) {
    if (error instanceof DamagedImage) throw new Failure('CORRUPT_FILE', { cause: error });
    throw decoderFailure(error);
  } finally {
    pdf.close();
  }
}

/** As good as unbounded: no image is longer. */
const MAX_SIDE = 100_000;

/** An image on white. Its hidden pixels have any colour, which nobody sees. */
async function onPaper(pdf: PdfDocument, given: ImageFacts, side: number): Promise<Sharp> {
  // The bits of a stencil paint a colour of the page; it is shown as black here.
  const image: ImageFacts = given.stencil ? { ...given, color: { family: 'grey', components: 1 } } : given;
  const { thumbnail } = await thumbnailOf(pdf, image, side);
  const colours = openPicture(seen(withoutOpacity(thumbnail), image));
  const mask = await opacityOf(pdf, image, thumbnail);
  if (mask === undefined) return colours;
  const { width, height } = thumbnail;
  const data = await colours.toColourspace('srgb').removeAlpha().raw().toBuffer();
  const opacity = maskOfSize(mask.opacity, width, height).data;
  // Colours that were blended with the matte before (ISO 32000-1 section 11.6.5.3) have a part of it in place of white.
  for (let at = 0; at < data.length; at += 1) {
    const shown = opacity[Math.floor(at / 3)]! / 255;
    const matte = mask.matte && 255 * (mask.matte[at % 3] ?? mask.matte[0] ?? 0);
    data[at] = matte === undefined ? 255 - (255 - data[at]!) * shown : data[at]! + (1 - shown) * (255 - matte) + 0.5;
  }
  return openPicture({ data, width, height, channels: 3, space: 'rgb', hasAlpha: false });
}

/** @returns undefined where all of an image is seen, or its mask cannot be read */
async function opacityOf(
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

/** The samples as a reader of the PDF shows them: a `Decode` array that inverts has been applied. */
function seen(picture: Picture, image: ImageFacts): Picture {
  // libvips inverts the inks of every JPEG, as programs of Adobe want it, and those of JPEG 2000 are treated alike; a PDF says with
  // `Decode` whether they are.
  const arrivesInverted = (image.jpeg ?? image.jpx) !== undefined && picture.space === 'cmyk';
  if ((image.decode === 'inverted') === arrivesInverted) return shownColours(picture, image.color);
  return shownColours({ ...picture, data: picture.data.map((sample) => 255 - sample) }, image.color);
}
