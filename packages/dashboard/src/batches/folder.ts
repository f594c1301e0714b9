import pLimit from 'p-limit';
import { signal } from '@preact/signals';
import { mediaKind, type MediaKind, type MediaType } from '@burnish/contract';
import { onSignedOut } from '../api/client.ts';
import { checkFile } from '../enhance/check-file.ts';
import type { FolderFile } from './folder-files.ts';

/** A file that can be sent. */
export interface CheckedFile extends FolderFile {
  type: MediaType;
}

/** A file that is not sent, and why. */
export interface LeftOutFile {
  path: string;
  why: string;
}

/** A folder that a person chose, and whose files were looked at. A batch has files of one kind. */
export interface Folder {
  name: string;
  files: Readonly<Record<MediaKind, readonly CheckedFile[]>>;
  leftOut: readonly LeftOutFile[];
}

/** The folder whose settings are chosen; `reading` while its files are looked at */
export const folder = signal<Folder | 'reading' | undefined>(undefined);

// The next account must not see the files of this one.
onSignedOut(() => (folder.value = undefined));

/** Files that are looked at at once. */
const AT_ONCE = 8;
/** The longest key of an item, in characters (docs/batches.md). */
const MAX_PATH_LENGTH = 200;

/** Looks at the files of a folder, and shows them with the settings of a batch. */
export async function openFolder(found: Promise<readonly FolderFile[]>): Promise<void> {
  folder.value = 'reading';
  try {
    folder.value = await checkFolder(await found);
  } catch {
    const why = 'The folder cannot be read. Check that it still exists, and choose it again.';
    folder.value = { name: 'Folder', files: { image: [], pdf: [] }, leftOut: [{ path: 'Folder', why }] };
  }
}

export async function checkFolder(found: readonly FolderFile[]): Promise<Folder> {
  const limit = pLimit(AT_ONCE);
  const files: Record<MediaKind, CheckedFile[]> = { image: [], pdf: [] };
  const leftOut: LeftOutFile[] = [];
  const checked = await Promise.all(found.map((each) => limit(async () => ({ ...each, ...(await check(each)) }))));
  for (const each of checked) {
    if ('why' in each) leftOut.push({ path: each.path, why: each.why });
    else files[mediaKind(each.type)].push(each);
  }
  return { name: nameOf(found), files, leftOut };
}

async function check({ path, file }: FolderFile): ReturnType<typeof checkFile> {
  if (path.length > MAX_PATH_LENGTH)
    return { why: `Its path has more than ${MAX_PATH_LENGTH} characters. Shorten the names of its folders.` };
  return await checkFile(file);
}

/** The one folder that has all files, else the first one. */
function nameOf([first, ...others]: readonly FolderFile[]): string {
  const top = (path: string): string | undefined => /^([^/]+)\//.exec(path)?.[1];
  const name = first === undefined ? undefined : top(first.path);
  if (name === undefined) return 'Files';
  const more = new Set(others.map(({ path }) => top(path))).size > 1;
  return more ? `${name} and others` : name;
}
