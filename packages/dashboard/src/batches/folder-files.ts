import { BATCH_LIMITS } from '@burnish/contract';

/** A file with its path in the dropped folder, such as `shoes/red/front.jpg`. */
export interface FolderFile {
  path: string;
  file: File;
}

/** Files that systems put into folders, which nobody means. */
const isOfSystem = (name: string): boolean => name.startsWith('.') || ['Thumbs.db', 'desktop.ini'].includes(name);

/** The folders and files of a drop; empty without a folder. To be called during the event. */
export function entriesWithFolder({ items }: DataTransfer): FileSystemEntry[] {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return entries.some(({ isDirectory }) => isDirectory) ? entries : [];
}

/** The files of folders and of all that is in them, by their paths; at most as many as a batch has. */
export async function readEntries(entries: readonly FileSystemEntry[]): Promise<FolderFile[]> {
  const found: FolderFile[] = [];
  const open = [...entries];
  for (let entry = open.pop(); entry !== undefined && found.length < BATCH_LIMITS.items; entry = open.pop()) {
    if (isOfSystem(entry.name)) continue;
    if (entry.isDirectory) open.push(...(await readDirectory(entry as FileSystemDirectoryEntry)));
    else found.push({ path: entry.fullPath.replace(/^\//, ''), file: await readFile(entry as FileSystemFileEntry) });
  }
  return found.sort(byPath);
}

/** The files of a file field, which has paths only for a folder. */
export const chosenFiles = (files: Iterable<File>): FolderFile[] =>
  [...files]
    .filter(({ name }) => !isOfSystem(name))
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    .slice(0, BATCH_LIMITS.items)
    .sort(byPath);

const byPath = (a: FolderFile, b: FolderFile): number => (a.path < b.path ? -1 : 1);

const readFile = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A browser returns the entries of a folder in parts, and an empty part at the end. */
async function readDirectory(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    found.push(...part);
  }
}
