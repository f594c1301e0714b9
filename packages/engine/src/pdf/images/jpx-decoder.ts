import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { OpenJpeg } from '@cornerstonejs/codec-openjpeg/decodewasmjs';
import type { Picture } from '../../image/picture.ts';
import { pictureSpace } from './color-space.ts';
import { jpxColours, type ImageFacts } from './image-facts.ts';
import { findCodestream } from './jpx-header.ts';
import { lookUp } from './unpack-samples.ts';

let loaded: Promise<OpenJpeg> | undefined;

/** Loads OpenJPEG in WebAssembly at its first use; the libvips of sharp has no JPEG 2000. */
async function loadOpenJpeg(): Promise<OpenJpeg> {
  const { default: load } = await import('@cornerstonejs/codec-openjpeg/decodewasmjs');
  const wasmBinary = await readFile(createRequire(import.meta.url).resolve('@cornerstonejs/codec-openjpeg/decodewasm'));
  return load({ wasmBinary, print: () => undefined, printErr: () => undefined });
}

interface Decoded {
  data: Uint8Array;
  width: number;
  height: number;
}

/**
 * Decodes JPEG 2000 data of 8-bit samples; one component more than the colours is their opacity. Inks are inverted, as
 * libvips inverts those of a JPEG, since the result is written as JPEG. Palette indices become the colours of the PDF.
 * @param levels number of times to halve the size, as far as the data has such resolution levels
 * @throws Error when it does not decode
 */
export async function decodeJpx(data: Buffer, image: ImageFacts, levels = 0): Promise<Picture> {
  const { color } = image;
  if ('base' in color) {
    // The codestream alone has the indices, without a palette of the file. Those of a lower resolution would be means.
    const { data: indexes, ...size } = await decode(data.subarray(findCodestream(data)), image, 0);
    if (indexes.length !== size.width * size.height) throw new Error('Samples are missing.');
    return lookUp(indexes, size, color);
  }
  const channels = image.jpx?.components ?? 0;
  const colours = jpxColours(image);
  const space = pictureSpace(color, colours);
  const decoded = channels === 2 || channels === 4 ? await decodeTiles(data, image) : await decode(data, image, levels);
  if (decoded.data.length !== decoded.width * decoded.height * channels) throw new Error('Samples are missing.');
  if (space === 'cmyk') decoded.data.forEach((sample, i) => (decoded.data[i] = 255 - sample));
  return { ...decoded, channels, space, hasAlpha: channels > colours };
}

async function decode(data: Buffer, image: ImageFacts, levels: number): Promise<Decoded> {
  loaded ??= loadOpenJpeg();
  // A machine without memory or open files may have some at the next image.
  loaded.catch(() => (loaded = undefined));
  const openJpeg = await loaded;
  const decoder = new openJpeg.J2KDecoder();
  try {
    decoder.getEncodedBuffer(data.length).set(data);
    if (levels > 0) decoder.decodeSubResolution(levels, 0);
    else decoder.decode();
    const { width, height, componentCount, bitsPerSample } = decoder.getFrameInfo();
    assertAsHeader({ width, height, componentsCount: componentCount }, image);
    if (bitsPerSample !== image.jpx?.precision) throw new Error('The data is not what its header says.');
    const size = levels > 0 ? decoder.calculateSizeAtDecompositionLevel(levels) : { width, height };
    // The buffer belongs to the decoder's memory, which is released below.
    return { data: Uint8Array.from(decoder.getDecodedBuffer()), ...size };
  } finally {
    decoder.delete();
  }
}

/**
 * The OpenJPEG binding supports only images of one or three components. The decoder of PDF.js supports all, but is
 * slower.
 */
async function decodeTiles(data: Buffer, image: ImageFacts): Promise<Decoded> {
  const { JpxImage } = await import('jpeg2000');
  const decoder = new JpxImage();
  decoder.parse(data);
  assertAsHeader(decoder, image);
  const { width, height, componentsCount: channels, tiles } = decoder;
  const joined = new Uint8Array(width * height * channels);
  for (const { left, top, items, width: columns, height: rows } of tiles)
    for (let y = 0; y < rows; y += 1)
      joined.set(
        items.subarray(y * columns * channels, (y + 1) * columns * channels),
        ((top + y) * width + left) * channels,
      );
  return { data: joined, width, height };
}

function assertAsHeader(
  found: { width: number; height: number; componentsCount: number },
  { width, height, jpx }: ImageFacts,
): void {
  if (found.width !== width || found.height !== height || found.componentsCount !== jpx?.components)
    throw new Error('The data is not what its header says.');
}
