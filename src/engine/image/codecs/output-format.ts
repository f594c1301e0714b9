import { Failure } from '../../../domain/failures.ts';
import type { MediaType } from '../../../domain/upload/media.ts';
import type { ImageParameters } from '../../../domain/enhancement/parameters.ts';
import { MAX_JPEG_SIDE, MAX_OUTPUT_PIXELS } from '../../limits.ts';
import type { JpegTables } from './jpeg-tables.ts';
import type { ImageFacts } from './source.ts';

export type OutputFormat = 'jpeg' | 'png' | 'tiff';

export const OUTPUT_MEDIA_TYPES: Record<OutputFormat, MediaType> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  tiff: 'image/tiff',
};

/** AUTO keeps JPEG, PNG and TIFF; HEIC and WebP become JPEG (docs/contract.md). */
export function chooseFormat(mimetype: MediaType, asked: ImageParameters['outputFormat']): OutputFormat {
  if (asked === 'JPEG') return 'jpeg';
  if (asked === 'PNG' || (asked === 'AUTO' && mimetype === 'image/png')) return 'png';
  return asked === 'TIFF' || (asked === 'AUTO' && mimetype === 'image/tiff') ? 'tiff' : 'jpeg';
}

/** How a JPEG is coded. */
export interface JpegCoding {
  quality: number;
  chromaSubsampling: '4:2:0' | '4:4:4';
}

/** Without a source to follow: nothing to be seen is lost, at a fair size. */
const DEFAULT_QUALITY = 90;
/** A coarser source is not followed further down, or restoring it would be undone; nor is waste followed up. */
const FOLLOWED_QUALITY = { min: 80, max: 95 };

/** Quality as asked, else as the source had it; chroma in full where the source had it so, or quality asks for it. */
export function jpegCoding(source: JpegTables | undefined, asked: number | undefined): JpegCoding {
  const { min, max } = FOLLOWED_QUALITY;
  const quality = asked ?? (source ? Math.min(max, Math.max(min, source.quality)) : DEFAULT_QUALITY);
  const full = source ? !source.subsampled : quality >= DEFAULT_QUALITY;
  return { quality, chromaSubsampling: full ? '4:4:4' : '4:2:0' };
}

/**
 * Refuses a result that is too large, before anything is decoded.
 * @throws Failure TOO_MANY_PIXELS
 */
export function assertOutputSize(facts: ImageFacts, scale: number, format: OutputFormat): void {
  const [width, height] = [facts.width * scale, facts.height * scale];
  const size = `The result would have ${width} × ${height} pixels`;
  const field = scale > 1 ? { field: 'upscalingFactor' } : {};
  if (width * height > MAX_OUTPUT_PIXELS) {
    const detail = `${size}; at most ${MAX_OUTPUT_PIXELS / 1e6} million are allowed.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, ...field });
  }
  if (format === 'jpeg' && Math.max(width, height) > MAX_JPEG_SIDE) {
    const detail = `${size}; a JPEG has at most ${MAX_JPEG_SIDE} a side. Ask for PNG or TIFF.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, ...field });
  }
}
