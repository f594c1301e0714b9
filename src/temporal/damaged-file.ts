import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';

const MAGIC = 'SQLite format 3\0';
/** Sizes in bytes of the headers of a database, of its log and of a frame in it (sqlite.org/fileformat.html) */
const HEADER = { file: 100, log: 32, frame: 24 } as const;

/** What SQLite says about a damaged file, in the log of the server: SQLITE_CORRUPT, SQLITE_NOTADB, and a lost table. */
const DAMAGED = /database disk image is malformed|file is not a database|no such table/;

/** @param problem the end of a sentence about the file */
export function damagedFile(path: string, problem: string): StartupError {
  return new StartupError(
    `Temporal's file ${path} is damaged: ${problem}. Restore the whole data folder from a backup.`,
  );
}

/** @returns what SQLite says about a damaged file in the server's log, if it does */
export const findDamage = (log: string): string | undefined => DAMAGED.exec(log)?.[0];

/**
 * Checks what a server would not notice: it takes a part of a file for the whole, and another file for none.
 * @param path of a SQLite database, which may be absent
 * @throws StartupError if the file is no database, or pages are missing at its end
 */
export async function assertWholeFile(path: string): Promise<void> {
  const log = await readFile(`${path}-wal`).catch(unlessAbsent);
  const size = await stat(path).then(({ size }) => size, unlessAbsent);
  if (size === undefined) {
    if (log !== undefined) throw damagedFile(path, `it is missing, and its log ${basename(path)}-wal is not`);
    return;
  }
  const header = Buffer.alloc(HEADER.file);
  await using file = await open(path);
  const { bytesRead } = await file.read(header, 0, HEADER.file, 0);
  if (bytesRead === 0) throw damagedFile(path, 'it is empty');
  if (bytesRead < HEADER.file || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw damagedFile(path, 'it does not begin as a SQLite database does');
  }
  // The size 65,536 does not fit into its field, which then has 1.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  const logged = log === undefined ? new Set<number>() : pagesInLog(log, pageSize);
  // A checkpoint that was interrupted has written the first page, and has the others in the log.
  for (let page = Math.floor(size / pageSize) + 1; page <= pages; page += 1) {
    if (!logged.has(page)) throw damagedFile(path, `it has ${size} of ${pages * pageSize} bytes`);
  }
}

/** Numbers of the pages that the log has. Frames of an earlier use of the log have another salt. */
function pagesInLog(log: Buffer, pageSize: number): Set<number> {
  const salt = log.subarray(16, 24);
  const pages = new Set<number>();
  for (let at = HEADER.log; at + HEADER.frame + pageSize <= log.byteLength; at += HEADER.frame + pageSize) {
    if (log.subarray(at + 8, at + 16).equals(salt)) pages.add(log.readUInt32BE(at));
  }
  return pages;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
