import { createWriteStream, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type mvn from 'mvn-artifact-url';
import pLimit from 'p-limit';
import { hashFile } from '../../src/process/hash-file.ts';

const require = createRequire(import.meta.url);

/** SHA-256 of jars, in hexadecimal, by `group:artifact:version`: those of a program and all that it needs. */
export type PinnedJars = Readonly<Record<string, string>>;

/** Limit in milliseconds for one jar; the largest has 13 MB. */
const JAR_WITHIN_MS = 120_000;
const AT_ONCE = 4;

const nameOf = (coordinates: string): string => `${coordinates.split(':').slice(1).join('-')}.jar`;

/**
 * Downloads pinned jars without Maven. A later call continues an interrupted one: a file has its name only after the check of its hash.
 * @param repository address of another repository than Maven Central, with a slash at its end
 * @throws Error when a jar cannot be reached in time, or has another hash
 */
export async function downloadJars(jars: PinnedJars, folder: string, repository?: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const limit = pLimit(AT_ONCE);
  const failures: unknown[] = [];
  const downloads = Object.entries(jars).map(([coordinates, sha256]) =>
    limit(async () => {
      const path = join(folder, nameOf(coordinates));
      if (failures.length > 0 || existsSync(path)) return;
      await download(await addressOf(coordinates, repository), path, sha256).catch((error) => failures.push(error));
    }),
  );
  await Promise.all(downloads);
  if (failures.length > 0) throw failures[0];
}

/** @throws Error unless a folder has exactly the pinned jars */
export async function checkJars(jars: PinnedJars, folder: string): Promise<void> {
  const found: Record<string, string> = {};
  for (const name of await readdir(folder)) found[name] = await hashFile(join(folder, name));
  const wrong = Object.entries(jars).find(([coordinates, sha256]) => found[nameOf(coordinates)] !== sha256);
  if (wrong !== undefined) throw new Error(`${wrong[0]} does not have the SHA-256 that is pinned`);
  if (Object.keys(found).length > Object.keys(jars).length) throw new Error('Maven found a jar that is not pinned');
}

/** The package knows the address of Maven Central, and the places of jars in a repository. */
async function addressOf(coordinates: string, repository: string | undefined): Promise<string> {
  const { default: artifactUrl } = require('mvn-artifact-url') as typeof mvn;
  const [groupId = '', artifactId = '', version = ''] = coordinates.split(':');
  return await artifactUrl({ groupId, artifactId, version, extension: 'jar' }, repository);
}

async function download(address: string, path: string, sha256: string): Promise<void> {
  const { host } = new URL(address);
  const signal = AbortSignal.timeout(JAR_WITHIN_MS);
  const response = await fetch(address, { signal }).catch((cause: unknown) => {
    throw new Error(`${host} cannot be reached`, { cause });
  });
  if (!response.ok || response.body === null) throw new Error(`${host} answered ${response.status} for ${address}`);
  const unfinished = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(response.body), createWriteStream(unfinished), { signal });
    if ((await hashFile(unfinished)) !== sha256) throw new Error(`${address} does not have the SHA-256 that is pinned`);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
