import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Holds a lock file while the work runs, so that two commands started at once do not install or build concurrently. Takes over
 * a lock whose process has died.
 * @template T
 * @param {string} lockFile
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(lockFile, work) {
  mkdirSync(dirname(lockFile), { recursive: true });
  while (!tryLock(lockFile)) {
    if (!isHeld(lockFile)) rmSync(lockFile, { force: true });
    else await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

/** @param {string} lockFile */
function tryLock(lockFile) {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} lockFile */
function isHeld(lockFile) {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return true;
  } catch (error) {
    // EPERM means that the process is alive and belongs to another user. Any other error means that the process or the lock is
    // gone.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
