import { open } from 'node:fs/promises';
import { dirname, extname, join, basename } from 'node:path';

const MAX_TRIES = 10_000;

/**
 * Takes the first free name of `photo.jpg`, `photo-1.jpg`, `photo-2.jpg` and so on by making an empty file there, so
 * that nobody else can take it.
 */
export async function claimName(wanted: string): Promise<string> {
  const extension = extname(wanted);
  const stem = basename(wanted, extension);
  for (let n = 0; n < MAX_TRIES; n += 1) {
    const path = n === 0 ? wanted : join(dirname(wanted), `${stem}-${n}${extension}`);
    try {
      await (await open(path, 'wx')).close();
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`no free name is left for ${basename(wanted)}`);
}
