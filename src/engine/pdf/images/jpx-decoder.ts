import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { OpenJpeg } from '@cornerstonejs/codec-openjpeg/decodewasmjs';
import type { Picture } from '../../image/picture.ts';
import type { JpxHeader } from './jpx-header.ts';

let loaded: Promise<OpenJpeg> | undefined;

/** OpenJPEG in WebAssembly, since the libvips of sharp has no JPEG 2000. Loaded at its first use. */
async function loadOpenJpeg(): Promise<OpenJpeg> {
  const { default: load } = await import('@cornerstonejs/codec-openjpeg/decodewasmjs');
  const wasmBinary = await readFile(createRequire(import.meta.url).resolve('@cornerstonejs/codec-openjpeg/decodewasm'));
  return load({ wasmBinary, print: () => undefined, printErr: () => undefined });
}

/**
 * Decodes JPEG 2000 data of 8-bit grey or RGB samples; a second or fourth component is their opacity.
 * @param levels how often the size is halved, as far as the data has such sizes
 * @throws Error when it does not decode
 */
export async function decodeJpx(data: Buffer, header: JpxHeader, levels = 0): Promise<Picture> {
  const openJpeg = await (loaded ??= loadOpenJpeg());
  const decoder = new openJpeg.J2KDecoder();
  try {
    decoder.getEncodedBuffer(data.length).set(data);
    if (levels > 0) decoder.decodeSubResolution(levels, 0);
    else decoder.decode();
    const { width, height, componentCount, bitsPerSample } = decoder.getFrameInfo();
    if (
      width !== header.width ||
      height !== header.height ||
      componentCount !== header.components ||
      bitsPerSample !== 8
    ) {
      throw new Error('The data is not what its header says.');
    }
    const size = levels > 0 ? decoder.calculateSizeAtDecompositionLevel(levels) : { width, height };
    // The buffer lies in the decoder's memory, which is given back below.
    const samples = Uint8Array.from(decoder.getDecodedBuffer());
    if (samples.length !== size.width * size.height * componentCount) throw new Error('Samples are missing.');
    return {
      data: samples,
      ...size,
      channels: componentCount,
      space: componentCount <= 2 ? 'grey' : 'rgb',
      hasAlpha: componentCount === 2 || componentCount === 4,
    };
  } finally {
    decoder.delete();
  }
}
