import type { BatchItem } from '@burnish/contract';
import { sanitizeFilename } from '../../domain/upload/filenames.ts';

/**
 * The folder of a batch's item in an archive: that of its key, whose names are safe on every file system and lead nowhere else.
 * @returns empty, or ending with a slash. The key of a URL has no folder
 */
export function folderOfKey({ key, url }: Pick<BatchItem, 'key' | 'url'>): string {
  if (url !== null) return '';
  const names = key
    .split(/[/\\]/)
    .slice(0, -1)
    .flatMap((name) => sanitizeFilename(name) ?? []);
  return names.map((name) => `${name}/`).join('');
}
