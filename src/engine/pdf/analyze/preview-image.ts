import { Failure } from '../../../domain/failures.ts';
import { openPicture, writePreview } from '../../image/preview.ts';
import type { Picture } from '../../image/picture.ts';
import { decoderFailure } from '../../image/codecs/sharp.ts';
import { reasonToLeave } from './eligibility.ts';
import { DamagedImage } from '../images/image-decoder.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { openPdfDocument, type PdfDocument } from '../document/pdf-document.ts';
import { withoutOpacity } from '../images/opacity.ts';
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
 * Makes a copy of one image of a PDF that browsers can show. Masks and colour profiles of the PDF are not applied.
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
    if (image === undefined || reasonToLeave(image) !== undefined) {
      throw new Failure('NOT_FOUND', { detail: 'The PDF has no such image that could be shown.' });
    }
    await writePreview(openPicture(await seen(pdf, image, side ?? MAX_SIDE)), side, outputPath);
  } catch (error) {
    if (error instanceof DamagedImage) throw new Failure('CORRUPT_FILE', { cause: error });
    throw decoderFailure(error);
  } finally {
    pdf.close();
  }
}

/** As good as unbounded: no image is longer. */
const MAX_SIDE = 100_000;

/** The samples as a reader of the PDF shows them: a `Decode` array that inverts has been applied. */
async function seen(pdf: PdfDocument, image: ImageFacts, side: number): Promise<Picture> {
  const { thumbnail } = await thumbnailOf(pdf, image, side);
  // Browsers are shown the colours; what a mask hides of them is told by no preview.
  const picture = withoutOpacity(thumbnail);
  // libvips inverts the inks of every JPEG, as programs of Adobe want it, and those of JPEG 2000 are treated alike; a PDF says with
  // `Decode` whether they are.
  const arrivesInverted = (image.jpeg ?? image.jpx) !== undefined && picture.space === 'cmyk';
  if ((image.decode === 'inverted') === arrivesInverted) return shownColours(picture, image.color);
  return shownColours({ ...picture, data: picture.data.map((sample) => 255 - sample) }, image.color);
}
