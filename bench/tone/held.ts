import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SETS, type SetName } from './sets.ts';

/** Pictures on which nothing is tuned, by tabs: set, file, repository on GitHub, commit, path and SHA-256. */
const LIST = new URL('held.tsv', import.meta.url);

interface Held {
  set: SetName;
  /** Name below the folder of the set */
  file: string;
  repository: string;
  commit: string;
  path: string;
  sha256: string;
}

/**
 * Downloads the pictures that are missing, and verifies all. They stay in the folder: their rights are those of their repositories.
 * @returns the folder of each set
 * @throws Error for a file that is not the listed one
 */
export async function fetchHeld(folder: string): Promise<Record<SetName, string>> {
  for (const { set, file, repository, commit, path, sha256 } of await readList()) {
    const to = join(folder, set, file);
    if (!existsSync(to)) {
      const below = path.split('/').map(encodeURIComponent).join('/');
      const address = `https://raw.githubusercontent.com/${repository}/${commit}/${below}`;
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(`${address} answers ${answer.status}.`);
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, Buffer.from(await answer.arrayBuffer()));
    }
    const found = createHash('sha256')
      .update(await readFile(to))
      .digest('hex');
    if (found !== sha256) throw new Error(`${to} has the SHA-256 ${found}. It should have ${sha256}; remove it.`);
  }
  return Object.fromEntries(SETS.map((set) => [set, join(folder, set)])) as Record<SetName, string>;
}

async function readList(): Promise<Held[]> {
  const lines = (await readFile(LIST, 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [set, file, repository, commit, path, sha256] = line.split('\t') as [SetName, ...string[]];
    return { set, file: file!, repository: repository!, commit: commit!, path: path!, sha256: sha256! };
  });
}
