import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';
import { createKeyRing, newKey, readKey, type KeyRing } from '../secrets/key-ring.ts';

/** File in the data folder: one key per line in base64, newest first. */
const KEY_FILE = 'encryption.key';

/**
 * Reads the keys of an instance from BURNISH_ENCRYPTION_KEY, then from the key file. Without either, it stores a new key in the
 * file, which only its owner can read.
 * @param given keys in base64, separated by commas
 * @throws StartupError if the file contains anything else
 */
export async function openKeyRing(dataDir: string, given: string | null): Promise<KeyRing> {
  return (await findKeyRing(dataDir, given)) ?? toKeyRing(dataDir, [await makeKey(join(dataDir, KEY_FILE))]);
}

/** The keys of an instance as `openKeyRing` reads them; undefined without any. @throws StartupError as above */
export async function findKeyRing(dataDir: string, given: string | null): Promise<KeyRing | undefined> {
  const known = [...(given?.split(',') ?? []), ...(await readLines(join(dataDir, KEY_FILE)))];
  return known.length === 0 ? undefined : toKeyRing(dataDir, known);
}

function toKeyRing(dataDir: string, [first, ...others]: string[]): KeyRing {
  const path = join(dataDir, KEY_FILE);
  const read = (text: string): Buffer => {
    const key = readKey(text);
    if (key !== undefined) return key;
    throw new StartupError(`${path} contains a line that is not 32 bytes in base64. Restore the file from a backup.`);
  };
  return createKeyRing([read(first!), ...others.map(read)]);
}

async function readLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** If two processes start at once, one creates the key and the other reads it. The file appears with its complete content. */
async function makeKey(path: string): Promise<string> {
  const key = newKey().toString('base64');
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, `${key}\n`, { mode: 0o600, flush: true });
  try {
    await link(temporary, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readLines(path))[0] ?? '';
  } finally {
    await rm(temporary);
  }
}
