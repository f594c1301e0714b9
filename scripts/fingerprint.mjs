import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Hashes the names and bytes of the given files and folders. It ignores times, because a fresh checkout has new times.
 * @param {string} root
 * @param {readonly string[]} entries relative to the root; those that do not exist count as absent
 * @returns {string} SHA-256 in hex
 */
export function fingerprint(root, entries) {
  const hash = createHash('sha256');
  for (const entry of entries) addTo(hash, root, entry);
  return hash.digest('hex');
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} root
 * @param {string} entry
 */
function addTo(hash, root, entry) {
  const path = join(root, entry);
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, root, `${entry}/${name}`);
    return;
  }
  const bytes = readFileSync(path);
  hash.update(`${entry}\0${bytes.length}\0`).update(bytes);
}

/**
 * @param {string} stampFile
 * @param {string} expected
 */
export function isStamped(stampFile, expected) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === expected;
}
