import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../domain/startup-error.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

/** Without one of these, PostgreSQL cannot start. */
const PARTS = ['PG_VERSION', 'base', 'global', 'global/pg_control', 'pg_wal', 'pg_xact', 'postgresql.conf'];

/** SQLSTATE codes of a page with a wrong checksum, of a damaged index and of a missing file (PostgreSQL's manual, appendix A). */
const DAMAGED_STATES: readonly string[] = ['XX001', 'XX002', '58P01'];

const REMEDY = 'Restore the whole data folder from a backup.';

/** A query met a damaged file. Only a backup repairs it, and callers are not at fault. */
export class DatabaseDamaged extends DatabaseUnavailable {
  /** @param cause PostgreSQL's error, which names the file */
  constructor(cause: Error) {
    super(cause, `The embedded database is damaged (${cause.message}). ${REMEDY}`);
  }
}

/** @param state SQLSTATE of an error in PostgreSQL's response */
export function isDamagedState(state: string | undefined): boolean {
  return state !== undefined && DAMAGED_STATES.includes(state);
}

/** @param problem names the missing or damaged part, as the end of a sentence */
export function damagedFolder(path: string, problem: string): StartupError {
  return new StartupError(`The database in ${path} is damaged: ${problem}. ${REMEDY}`);
}

/**
 * Finds out whether a folder contains a database.
 * @returns false if it is absent or empty, so that a new database may be created there
 * @throws StartupError if it contains anything but a complete database
 */
export async function containsDatabase(path: string): Promise<boolean> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length === 0) return false;
  for (const part of PARTS) {
    if (!(await exists(join(path, part)))) throw damagedFolder(path, `it lacks ${part}`);
  }
  return true;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    },
  );
