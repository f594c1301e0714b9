import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A new folder that is removed with its content, and a way to write files there. */
export async function folderForFiles() {
  const folder = await temporaryFolder();
  return {
    ...folder,
    async file(name: string, bytes: Buffer | string = Buffer.alloc(25_000, 1)): Promise<string> {
      const file = join(folder.path, name);
      await writeFile(file, bytes);
      return file;
    },
  };
}

/** An output stream that records its content. */
export function recorder(isTTY = false) {
  let text = '';
  return { isTTY, write: (more: string) => ((text += more), true), text: () => text };
}
