import { execFile } from 'node:child_process';
import { chmod, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The file of an object below the root of a storage folder. */
export const objectPath = (root: string, key: string): string => `${join(root, ...key.split('/'))}.object`;

/** Changes bytes of a file in place, as a failing disk does: its size, inode and time of modification stay. */
export async function rot(path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const times = `${path}-times`;
  await run('touch', ['-r', path, times]);
  await chmod(path, 0o600);
  const file = await open(path, 'r+');
  const bytes = change(await file.readFile());
  await file.truncate(bytes.byteLength);
  await file.write(bytes, 0, bytes.byteLength, 0);
  await file.close();
  // To the nanosecond, unlike `utimes`.
  await run('touch', ['-r', times, path]);
  await rm(times);
}

/** One flipped bit in the middle. */
export function flipBit(bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bytes.byteLength >> 1]! ^= 1;
  return flipped;
}

/** Zeros from the middle on, with the same size, as a power loss leaves them. */
export const zeroTail = (bytes: Buffer): Buffer => Buffer.from(bytes).fill(0, bytes.byteLength >> 1);

export const cutOff = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.byteLength - 1);
