import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { EngineError } from '@burnish/contract/engine';
import { engineSizing } from '../../sizing.ts';
import { MAX_INPUT_PIXELS } from '../../limits.ts';
import { machineFault } from '../../machine-fault.ts';

// Each file is read once, so a cache would only use memory.
sharp.cache(false);
sharp.simd(true);
sharp.concurrency(engineSizing().vipsThreads);

/** Options for every untrusted file: size limits, one frame, sequential reading, failure on damage. */
const INPUT: SharpOptions = {
  limitInputPixels: MAX_INPUT_PIXELS,
  limitInputChannels: 5,
  failOn: 'error',
  unlimited: false,
  sequentialRead: true,
  pages: 1,
};

/** @param file a path, or the bytes of a file */
export function openImage(file: string | Uint8Array, options: SharpOptions = {}): Sharp {
  return sharp(file, { ...INPUT, ...options });
}

/**
 * Converts a decoder's error to one of the engine. Messages of libvips may contain paths, so they are kept only as the cause.
 */
export function decoderFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const fault = machineFault(error);
  if (fault !== undefined) return fault;
  const text = error instanceof Error ? error.message : '';
  if (/pixel limit/i.test(text)) return new EngineError('TOO_MANY_PIXELS', { cause: error });
  if (/channel limit/i.test(text)) {
    return new EngineError('UNSUPPORTED_MEDIA_TYPE', {
      detail: 'An image with so many channels is not supported.',
      cause: error,
    });
  }
  // Valid files of kinds that libvips does not decode.
  if (/tiff2vips: (samples out of range|samples_per_pixel not|unsupported)|bad labq format/.test(text)) {
    return new EngineError('UNSUPPORTED_MEDIA_TYPE', {
      detail: 'A TIFF whose samples have this size or colour space is not supported.',
      cause: error,
    });
  }
  if (/compression support is not configured|decoding is not implemented/.test(text)) {
    return new EngineError('UNSUPPORTED_MEDIA_TYPE', {
      detail: 'A TIFF with this compression is not supported. Save it with LZW, Deflate or JPEG compression.',
      cause: error,
    });
  }
  // A pipeline that decodes and encodes may fail at either.
  if (/save: unable to encode/.test(text)) return encoderFailure(error);
  return new EngineError('CORRUPT_FILE', { cause: error });
}

/** Converts the error of an encoder. Its picture is decoded already, so no file is at fault. */
export function encoderFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  return machineFault(error) ?? new EngineError('INTERNAL', { cause: error });
}
