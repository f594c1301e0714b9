import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildGoPrograms, recentGo } from '../support/go-toolchain.ts';
import { repositoryRoot } from '../support/repository.ts';

const execute = promisify(execFile);

const SERVER = {
  module: 'go.temporal.io/server',
  version: 'v1.32.1',
  sum: 'h1:grI5B5cBEMRJnDzGKtsxQRQpsNPisej1B6WgVksc9EM=',
  packages: ['cmd/server', 'cmd/tools/sql'],
};
/** From this version on, Go downloads the Go version that a module requires. */
const LEAST_GO = [1, 21] as const;

/** Programs of a Temporal cluster: `temporal-server`, `temporal-sql-tool` and `schema`, as in the image of Temporal. */
export interface TemporalPrograms {
  server: string;
  /** Folder of `temporal-sql-tool`, for PATH */
  folder: string;
  /** Folder of the schema files */
  schema: string;
}

const folder = join(repositoryRoot, '.cache', `temporal-server-${SERVER.version.slice(1)}`);
const programs: TemporalPrograms = { server: join(folder, 'temporal-server'), folder, schema: join(folder, 'schema') };

/** Finds the programs. @throws Error before their build, which would exceed the time limit of a test */
export async function temporalPrograms(): Promise<TemporalPrograms> {
  if (await exists(programs.server)) return programs;
  throw new Error(`Temporal ${SERVER.version} is not built: run npx tsx test/cluster/build-temporal.ts.`);
}

/**
 * Builds the server of a real cluster from its source, and keeps it for later runs. The build takes three minutes on two cores.
 * @throws Error with one sentence if Go is missing or too old
 */
export async function buildTemporalPrograms(report: (sentence: string) => void): Promise<void> {
  if (await exists(programs.server)) return;
  const go = await recentGo(LEAST_GO);
  if (go === undefined) {
    throw new Error(`A Temporal cluster is built from its source: put Go ${LEAST_GO.join('.')} or later on PATH.`);
  }
  report(`Building Temporal ${SERVER.version}, once; this takes three minutes ...`);
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, 'build-'));
  try {
    const { stdout } = await execute(go, ['mod', 'download', '-json', `${SERVER.module}@${SERVER.version}`]);
    const { Dir: source } = JSON.parse(stdout) as { Dir: string };
    await buildGoPrograms(go, SERVER, scratch, 'auto');
    await rm(programs.schema, { recursive: true, force: true });
    await cp(join(source, 'schema'), programs.schema, { recursive: true });
    // The module cache is read-only, and a copy keeps this mode. Without the change, the copy could not be removed.
    await execute('chmod', ['-R', 'u+w', programs.schema]);
    await rename(join(scratch, 'sql'), join(folder, 'temporal-sql-tool'));
    // Written last: its presence marks a complete folder.
    await rename(join(scratch, 'server'), programs.server);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
