import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from './repository.ts';

/** The files of a folder of examples/, by name. */
export async function exampleFiles(folder: string): Promise<Map<string, string>> {
  const path = join(repositoryRoot, 'examples', folder);
  const names = await readdir(path);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const)),
  );
}
