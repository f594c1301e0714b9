import fs from 'node:fs';
import { jest } from '@jest/globals';
import { onTestFinished } from '../support/running-test.ts';

/** Folders and files in the order in which they are synced to disk. */
export function watchSyncs(): string[] {
  const synced: string[] = [];
  const fsyncSync = fs.fsyncSync;
  const spy = jest.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    fsyncSync(fd);
    synced.push(process.platform === 'linux' ? fs.readlinkSync(`/proc/self/fd/${fd}`) : 'pg_wal');
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}
