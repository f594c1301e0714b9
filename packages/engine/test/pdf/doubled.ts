import { expect } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { readImageFacts } from '../../src/pdf/images/image-facts.ts';
import { isName, openPdfDocument } from '@burnish/pdf';
import { buildPdf, imagePage, type Objects } from '../../../pdf/test/build-pdf.ts';
import { renderedAlike } from './judges.ts';
import { DOUBLED, HEIGHT, WIDTH, enhanceBytes, samplesOf } from './support.ts';

export type Image = { dict: string; data: Buffer | string };

/** Draws the image at 72 pixels an inch and asks for 144: twice the size. */
export async function doubled(path: string, image: Image, more: Objects = {}) {
  const result = await enhanceBytes(buildPdf(imagePage(image, WIDTH, HEIGHT, more)), path, DOUBLED, {
    maxGrowth: 1000,
  });
  expect(result).toMatchObject({ pages: 1, images: 1, enhanced: 1, work: { colorOnly: 0, resizeOnly: 1, both: 0 } });
  return {
    ...result,
    before: await samplesOf(result.inputPath),
    after: await samplesOf(result.outputPath),
    dict: dictOf(result.outputPath),
    // How alike a reader shows both, dB; the page is mostly white, so a picture that is inverted or shifted tells at once.
    alike: renderedAlike(result.inputPath, result.outputPath) ?? Infinity,
  };
}

export function dictOf(path: string) {
  const pdf = openPdfDocument(path);
  const { stream, color } = readImageFacts(pdf, 10)!;
  const filter = pdf.resolve(stream.dict.get('Filter'));
  const entries = {
    filter: isName(filter) ? filter.value : undefined,
    family: color.family,
    bits: stream.dict.get('BitsPerComponent'),
    dict: stream.dict,
  };
  pdf.close();
  return entries;
}

/** The mean of two by two samples, which brings a doubled picture back to where it came from. */
export function halved(picture: Picture): Picture {
  const { data, width, channels } = picture;
  const [w, h] = [picture.width / 2, picture.height / 2];
  const out = data instanceof Uint16Array ? new Uint16Array(w * h * channels) : new Uint8Array(w * h * channels);
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      for (let c = 0; c < channels; c += 1) {
        const at = (2 * y * width + 2 * x) * channels + c;
        out[(y * w + x) * channels + c] =
          (data[at]! + data[at + channels]! + data[at + width * channels]! + data[at + (width + 1) * channels]!) / 4;
      }
    }
  }
  return { ...picture, data: out, width: w, height: h };
}
