import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux keeps the files below it in memory. */
const IN_MEMORY = '/dev/shm';
/** Bytes: several times what the files of three test processes take at once. */
const ENOUGH = 3 * 2 ** 30;

/** Followed by the id of the process that uses the folder. It is short, since paths of sockets have 107 characters. */
const PREFIX = 'burnish-';
const PATTERN = new RegExp(`^${PREFIX}(\\d+)-`);

/**
 * Makes a folder in memory for the temporary files of tests. On a disk, each database copy of 40 MB and each sync of a commit
 * takes a multiple of the system's time. Folders of processes that have ended without removing theirs are removed.
 * @returns its path; undefined where memory has no such folder, or where it is small or refuses to run programs, as in a container
 */
export function memoryFolder(place = IN_MEMORY, enough = ENOUGH) {
  if (!existsSync(place)) return undefined;
  removeAbandoned(place);
  const { bavail, bsize } = statfsSync(place);
  if (bavail * bsize < enough) return undefined;
  try {
    const folder = mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
    // As /tmp is: servers of the tests run as other users.
    chmodSync(folder, 0o1777);
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const runs = spawnSync(program).status === 0;
    rmSync(runs ? program : folder, { recursive: true });
    return runs ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Memory that an ended run keeps is missing until the next start of the machine. @param {string} place */
function removeAbandoned(place) {
  for (const name of readdirSync(place)) {
    const pid = PATTERN.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(place, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}
