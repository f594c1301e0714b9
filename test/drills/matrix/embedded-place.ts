import { execFileSync } from 'node:child_process';
import { cp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessIdentity } from '../../../src/process/process-identity.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { writeMarker } from '../../../src/storage/marked-storage.ts';
import { commandLine, killAtOnce, processTree } from '../../e2e/processes.ts';
import { freePorts, type Instance, startInstance } from '../../support/instance.ts';
import { unmount } from '../../support/marked-store.ts';
import { copyMigratedDatabase } from '../../support/migrated-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordsOf } from './embedded-records.ts';
import { decodersOf } from './faults.ts';
import type { Outage, Place } from './place.ts';

/** Names of the folders below the data folder */
type Folder = 'database' | 'temporal' | 'files';
type ErrorName = 'EIO' | 'EROFS' | 'ENOSPC' | 'EACCES';

/** One process with the database, Temporal and storage in its data folder. Its disks can fail, by `faulty-disk.c`. */
export async function embeddedPlace(env: NodeJS.ProcessEnv): Promise<Place> {
  const folder = await temporaryFolder();
  const [dataDir, control, faultyDisk] = ['data', 'control', 'faulty-disk'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  const source = fileURLToPath(new URL('faulty-disk.c', import.meta.url));
  execFileSync('cc', ['-Wall', '-Werror', '-O1', '-o', faultyDisk, source]);
  await copyMigratedDatabase(dataDir);
  const ports = await freePorts();
  const start = (apiKey?: string): Promise<Instance> =>
    startInstance({ dataDir, ports, env, via: [faultyDisk, control], ...(apiKey && { apiKey }) });
  let instance = await start();
  const { url, apiKey, api } = instance;
  const startAgain = async (): Promise<void> => void (instance = await start(apiKey));

  const servers = (): ProcessIdentity[] =>
    processTree(instance.pid).filter((each) => /temporal server start-dev --db-filename/.test(commandLine(each)));
  const killServers = (): Promise<void> => killAtOnce(servers());
  const owners = (): Instance[] => [instance];

  const withError =
    (name: Folder, error: ErrorName): Outage =>
    async () => {
      await rm(`${control}.failed`, { force: true });
      await writeFile(`${control}.new`, `${constants.errno[error]} ${join(dataDir, name)}`);
      await rename(`${control}.new`, control);
      return async () => {
        await rm(control);
        // Proves that the disk was in use.
        await stat(`${control}.failed`);
      };
    };

  /** An operator stops the instance for a copy, and puts the copy back later. */
  const older =
    (name: Folder): Outage =>
    async () => {
      const [present, copy] = [join(dataDir, name), join(folder.path, `older-${name}`)];
      await instance.stop();
      await cp(present, copy, { recursive: true });
      await startAgain();
      return async () => {
        await instance.stop();
        await rm(present, { recursive: true });
        await rename(copy, present);
        await startAgain();
      };
    };

  const files = join(dataDir, 'files');
  return {
    url,
    apiKey,
    api,
    parts: {
      instance: {
        pids: () => [instance.pid],
        kill: () => instance.killTree(),
        stop: async () => void (await instance.stop()),
        start: startAgain,
      },
      decoders: decodersOf(owners),
      // The instance starts it again.
      'Temporal server': {
        pids: () => servers().map(({ pid }) => pid),
        kill: killServers,
        stop: killServers,
        start: () => Promise.resolve(),
      },
      'Temporal with EIO': withError('temporal', 'EIO'),
      'Temporal with EROFS': withError('temporal', 'EROFS'),
      'Temporal with ENOSPC': withError('temporal', 'ENOSPC'),
      'database with EIO': withError('database', 'EIO'),
      'database with EROFS': withError('database', 'EROFS'),
      'database with ENOSPC': withError('database', 'ENOSPC'),
      'storage with EIO': withError('files', 'EIO'),
      'storage with EROFS': withError('files', 'EROFS'),
      'storage with ENOSPC': withError('files', 'ENOSPC'),
      'storage with EACCES': withError('files', 'EACCES'),
      'unmounted storage': () => unmount(files),
      'exchanged storage': async () => {
        const putBack = await unmount(files);
        await writeMarker(await openFilesystemStore(files), 'the id of another instance');
        return putBack;
      },
      'older Temporal': older('temporal'),
      'older database': older('database'),
    },
    ...recordsOf(() => instance),
    async replaceDead() {
      if (instance.running()) return [];
      await startAgain();
      return ['instance'];
    },
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
