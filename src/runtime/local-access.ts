import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Services } from './services.ts';

/** Access data for commands on this machine to the instance of a data folder. Only the folder's owner can read it. */
const accessSchema = z.object({
  baseUrl: z.string(),
  apiKey: z.string(),
  temporalUiUrl: z.string().nullable(),
  namespace: z.string(),
});
export type LocalAccess = z.infer<typeof accessSchema>;

const accessPath = (dataDir: string): string => join(dataDir, 'local-access.json');

/** Reads URL and key of the instance for commands; undefined if none was started in this folder. */
export async function readLocalAccess(dataDir: string): Promise<LocalAccess | undefined> {
  try {
    return accessSchema.parse(JSON.parse(await readFile(accessPath(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Stores URL and key for commands on this machine. The key is separate, and stays the same at each start. A key that the
 * operator chose takes precedence: a gateway with a temporary folder would otherwise create a new key at every start.
 */
export async function leaveLocalAccess(
  { stores: { apiKeys }, dataDir }: Services,
  accountId: string,
  where: Omit<LocalAccess, 'apiKey'>,
  chosenKey: string | null,
): Promise<LocalAccess> {
  const known = await readLocalAccess(dataDir);
  const holder = known && (await apiKeys.authenticate(known.apiKey));
  const kept = known && holder?.account.id === accountId ? known.apiKey : null;
  const apiKey =
    chosenKey ?? kept ?? (await apiKeys.create(accountId, 'Commands on this machine', { internal: true })).key;
  const access = { ...where, apiKey };
  const path = accessPath(dataDir);
  const temporary = `${path}.${process.pid}`;
  try {
    await writeFile(temporary, JSON.stringify(access), { mode: 0o600 });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return access;
}
