import { FILE_SIZE_BYTES } from '../../../../src/domain/upload/file-size.ts';
import { mediaKind, type MediaType } from '@burnish/engine/contract';
import { formatBytes } from '../ui/format.ts';
import { isAnimatedAvif, sniff, SNIFFED_BYTES } from './sniff.ts';

/** Checks a file before it is sent. @returns its type, or the reason of a refusal */
export async function checkFile(file: File): Promise<{ type: MediaType } | { why: string }> {
  if (file.size === 0) return { why: 'The file is empty.' };
  let head: Uint8Array;
  try {
    head = new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer());
  } catch {
    return { why: 'The file cannot be read. Drop the files of a folder instead of the folder.' };
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
