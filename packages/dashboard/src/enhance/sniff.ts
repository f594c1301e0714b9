import type { MediaType } from '@burnish/engine/contract';

/** The number of examined bytes at the start of a file. */
export const SNIFFED_BYTES = 1024;

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
export const isAnimatedAvif = (head: Uint8Array): boolean =>
  String.fromCharCode(...head.subarray(4, 12)) === 'ftypavis';
