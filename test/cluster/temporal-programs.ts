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
/** From 1.21 on, Go fetches the version of itself that a module asks for. */
const LEAST_GO = [1, 21] as const;

/** What a Temporal cluster is made of: the folder has `temporal-server`, `temporal-sql-tool` and `schema`, as its image has. */
export interface TemporalPrograms {
  server: string;
  /** Of `temporal-sql-tool`, to be put on PATH */
  folder: string;
  /** Of the schema files */
  schema: string;
}

/**
 * The server of a real cluster, built from its source once and kept; takes three minutes on two cores.
 * @throws Error with one sentence when there is no Go
 */
export async function temporalPrograms(
  report: (sentence: string) => void = () => undefined,
): Promise<TemporalPrograms> {
  const folder = join(repositoryRoot, '.cache', `temporal-server-${SERVER.version.slice(1)}`);
  const programs = { server: join(folder, 'temporal-server'), folder, schema: join(folder, 'schema') };
  if (await exists(programs.server)) return programs;
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
    // The module cache is not writable, and a copy keeps that: nobody could remove it.
    await execute('chmod', ['-R', 'u+w', programs.schema]);
    await rename(join(scratch, 'sql'), join(folder, 'temporal-sql-tool'));
    // Last, as its presence says that all is there.
    await rename(join(scratch, 'server'), programs.server);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return programs;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
