import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../domain/startup-error.ts';
import { type ProcessIdentity, identifyThisProcess, isRunning } from '../process/process-identity.ts';
import { endProcess } from './end-process.ts';

const Identity = z.object({ pid: z.int().positive(), started: z.string() });
const Claim = z.object({ owner: Identity, server: Identity.optional() });

export interface ServerClaim {
  /** Records the started server, so that the next start after a crash can find and end it. */
  record(server: ProcessIdentity): Promise<void>;
  release(): Promise<void>;
}

/**
 * Claims a data folder's server for this process. If an earlier owner was killed and its server still runs, that
 * server is ended first, since it occupies ports and the SQLite file. A process is identified by its id and start
 * time, so a reused id is never touched.
 *
 * @throws StartupError when a living process has the claim
 */
export async function claimServer(file: string): Promise<ServerClaim> {
  // The folder contains workflow histories with callers' data.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const earlier = await readClaim(file);
  if (earlier !== undefined && isRunning(earlier.owner)) throw inUse(earlier.owner.pid);
  if (earlier?.server !== undefined) await endProcess(earlier.server);
  await rm(file, { force: true });

  const owner = identifyThisProcess();
  await writeFile(file, JSON.stringify({ owner }), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? inUse() : error;
  });
  return {
    record: (server) => writeFile(file, JSON.stringify({ owner, server })),
    release: () => rm(file, { force: true }),
  };
}

async function readClaim(file: string): Promise<z.infer<typeof Claim> | undefined> {
  try {
    return Claim.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function inUse(pid?: number): StartupError {
  const holder = pid === undefined ? 'Another process' : `Another process (${pid})`;
  return new StartupError(
    `${holder} runs Burnish on this data folder: stop it, or set BURNISH_DATA_DIR to another folder.`,
  );
}
