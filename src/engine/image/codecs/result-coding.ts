import type { OutputFormat } from '../../../domain/enhancement/output-formats.ts';
import { Failure } from '../../../domain/failures.ts';
import { MAX_OUTPUT_PIXELS } from '../../limits.ts';
import type { JpegTables } from './jpeg-tables.ts';
import { OUTPUT_CODECS, type JpegCoding } from './output-formats.ts';
import type { ImageFacts } from './source.ts';

/** Quality without a source to follow: no visible loss at a moderate size. */
const DEFAULT_QUALITY = 90;
/** Bounds of the quality that a source sets: lower would undo its repair, and higher would waste bytes. */
const FOLLOWED_QUALITY = { min: 80, max: 95 };

/** Uses the quality asked for, else the source's. Chroma stays full where the source has it, or where the quality asks for it. */
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
  const { maxSide, maxPixels } = OUTPUT_CODECS[format];
  if (width * height > maxPixels) {
    const detail = `${size}; an ${format} has at most ${maxPixels / 1e6} million. Ask for another format.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, field: 'outputFormat' });
  }
  if (Math.max(width, height) > maxSide) {
    const larger = Object.entries(OUTPUT_CODECS).flatMap(([name, codec]) => (codec.maxSide > maxSide ? [name] : []));
    const detail = `${size}; a ${format} has at most ${maxSide} a side. Ask for ${larger.join(' or ')}.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, ...field });
  }
}
