import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { z } from 'zod';
import { systemErrorCode } from './filesystem/disk-failure.ts';

/**
 * What is kept beside an object's file, so that its hash is known without a second read. Inode and time of
 * change tie the facts to one file: after a crash between the two renames, or two puts of one key at once,
 * they do not fit, and the hash is worked out anew from the bytes.
 */
const factsSchema = z.object({
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  inode: z.string(),
  modifiedNs: z.string(),
});
export type ObjectFacts = z.infer<typeof factsSchema>;
type FileIdentity = Omit<ObjectFacts, 'sha256'>;

/** Identifies the bytes of a file; undefined when there is no such file. */
export async function identifyFile(path: string): Promise<FileIdentity | undefined> {
  try {
    const stats = await stat(path, { bigint: true });
    return { size: Number(stats.size), inode: String(stats.ino), modifiedNs: String(stats.mtimeNs) };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The facts kept at `path` if they are those of the identified file. */
export async function readFacts(path: string, file: FileIdentity): Promise<ObjectFacts | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const facts = factsSchema.safeParse(parseJson(text)).data;
  const fits = facts?.size === file.size && facts.inode === file.inode && facts.modifiedNs === file.modifiedNs;
  return fits ? facts : undefined;
}

/** Writes facts to `path` by way of `temporary`, durably but for the folder's entry, which the caller syncs. */
export async function writeFacts(path: string, temporary: string, facts: ObjectFacts): Promise<void> {
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(facts));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
