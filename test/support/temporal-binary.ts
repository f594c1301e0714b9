import { join } from 'node:path';
import { resolveServerBinary } from '../../src/temporal/server-binary.ts';
import { repositoryRoot } from './repository.ts';

/** The `temporal` program for tests, downloaded once and kept outside of every test's data folder. */
export function temporalBinary(): Promise<string> {
  return resolveServerBinary({ dataDir: join(repositoryRoot, '.cache'), env: process.env });
}
