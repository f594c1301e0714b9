import { join } from 'node:path';
import { resolveServerBinary } from '../../src/temporal/server-binary.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { repositoryRoot } from './repository.ts';

const binary = onceACheckout('temporal', () =>
  resolveServerBinary({ dataDir: join(repositoryRoot, '.cache'), env: process.env }),
);
await binary;

/** The `temporal` program for tests, downloaded once and kept outside of every test's data folder. */
export const temporalBinary = (): Promise<string> => binary;
