import { FILE_SIZE_BYTES, mediaKind, type MediaType } from '@burnish/contract';
import { formatBytes } from '../ui/format.ts';

/** Checks a file before it is sent. @returns its type, or the reason of a refusal */
export async function checkFile(file: File): Promise<{ type: MediaType } | { why: string }> {
  if (file.size === 0) return { why: 'The file is empty.' };
  let head: Uint8Array;
  try {
    head = new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer());
  } catch {
    return { why: 'The file cannot be read. Check that it still exists, and choose it again.' };
  }
  if (isAnimatedAvif(head))
    return { why: 'An animated AVIF cannot be enhanced. Send one of its frames, or an animated WebP or GIF.' };
  const type = sniff(head);
  if (type === undefined) {
    return { why: 'This kind of file cannot be enhanced. Send a JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF, BMP or PDF.' };
  }
  const kind = mediaKind(type);
  const { min, max } = FILE_SIZE_BYTES[kind];
  const what = kind === 'pdf' ? 'A PDF' : 'An image';
  if (file.size < min)
    return { why: `${what} needs at least ${formatBytes(min)}; this one has ${formatBytes(file.size)}.` };
  if (file.size > max)
    return { why: `${what} may have at most ${formatBytes(max)}; this one has ${formatBytes(file.size)}.` };
  return { type };
}

/** The number of examined bytes at the start of a file. */
const SNIFFED_BYTES = 1024;

const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'];

/**
 * The type of a file by its first bytes, so that a wrong one is reported before it is sent. The gateway checks the type itself
 * and decides. Undefined for a file of a type that is not accepted.
 */
export function sniff(head: Uint8Array): MediaType | undefined {
  const text = (from: number, to: number): string => String.fromCharCode(...head.subarray(from, to));
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(text(0, 4))) return 'image/tiff';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  if (['GIF87a', 'GIF89a'].includes(text(0, 6))) return 'image/gif';
  if (text(0, 2) === 'BM') return 'image/bmp';
  if (text(4, 8) === 'ftyp' && text(8, 12) === 'avif') return 'image/avif';
  if (text(4, 8) === 'ftyp' && HEIC_BRANDS.includes(text(8, 12))) return 'image/heic';
  if (text(0, SNIFFED_BYTES).includes('%PDF-')) return 'application/pdf';
  return undefined;
}

/** Whether a file is an animated AVIF by its major brand, which the gateway refuses. */
const isAnimatedAvif = (head: Uint8Array): boolean => String.fromCharCode(...head.subarray(4, 12)) === 'ftypavis';
