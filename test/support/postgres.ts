import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findPostgresBinaries } from './postgres-binaries.ts';
import type { spawnGuarded } from './spawn-guarded.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { testPort } from './test-port.ts';
import { until } from './until.ts';

const execute = promisify(execFile);

export interface Postgres {
  /** URL of an initially empty database */
  url: string;
  /**
   * Creates another database, for a test that needs its own, and returns its URL.
   * @param template name of the database to copy, to which nothing is connected; absent: an empty one
   */
  createDatabase(template?: string): Promise<string>;
  /** Copies the first database, and returns what puts the copy back. Both disconnect its clients for a moment. */
  copy(): Promise<() => Promise<void>>;
  /** Process id of the server; its connections run in child processes */
  pid(): number;
  /** `kill -9` of the server; committed data survives */
  kill(): Promise<void>;
  /** Shuts the server down, which disconnects its clients */
  stop(): Promise<void>;
  /** Restarts it on the same port */
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a PostgreSQL server in a temporary folder, on a free loopback port: `await using postgres = await startPostgres()`.
 * Takes about a second; share one per test file.
 * @param options `durable` syncs commits to disk, as an operator's server does; by default nothing is synced
 */
export async function startPostgres(
  findBinaries = findPostgresBinaries,
  spawnServer: typeof spawnGuarded = spawnUnguarded,
  { durable = false } = {},
): Promise<Postgres> {
  const user = await serverUser();
  const folder = await temporaryFolder(user.uid === undefined ? undefined : await openParent());
  const binaries = await findBinaries(folder.path);
  const data = join(folder.path, 'data');
  await mkdir(data);
  if (user.uid !== undefined) for (const path of [folder.path, data]) await chown(path, user.uid, user.gid ?? user.uid);
  // Some libraries of the packaged server are in its folder.
  const environment = { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' };
  const as = { ...user, cwd: folder.path, env: environment };
  const layout = ['--encoding=UTF8', '--locale=C', '--username=burnish', '--auth=trust', '--no-sync'];
  await execute(join(binaries, 'initdb'), [...layout, '--pgdata', data], as);

  const port = await testPort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
    'autovacuum=off',
    'shared_buffers=32MB',
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const address = (database: string): string => `postgres://burnish@127.0.0.1:${port}/${database}`;
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawnServer(folder.path, join(binaries, 'postgres'), args, { ...as, stdio: 'ignore' });
    await untilReady(server, address('postgres'));
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  await start();

  let databases = 0;
  const createDatabase = async (template = 'template1'): Promise<string> => {
    databases += 1;
    const name = `test_${databases}`;
    await runSql(address('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`);
    return address(name);
  };
  const url = await createDatabase();
  const original = new URL(url).pathname.slice(1);
  /** Runs statements while nobody is connected to the first database. */
  const alone = async (...statements: string[]): Promise<void> => {
    await runSql(address('postgres'), `ALTER DATABASE ${original} ALLOW_CONNECTIONS false`);
    const others = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${original}'`;
    for (const each of [others, ...statements]) await runSql(address('postgres'), each);
    await runSql(address('postgres'), `ALTER DATABASE ${original} ALLOW_CONNECTIONS true`);
  };
  return {
    url,
    createDatabase,
    async copy() {
      await alone(`CREATE DATABASE older TEMPLATE ${original}`);
      return () => alone(`DROP DATABASE ${original}`, `ALTER DATABASE older RENAME TO ${original}`);
    },
    pid: () => server.pid!,
    kill: () => end('SIGKILL'),
    // SIGINT is PostgreSQL's fast shutdown, which disconnects clients.
    stop: () => end('SIGINT'),
    start,
    async [Symbol.asyncDispose]() {
      await end('SIGINT');
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A server that a test ends, and kills by its own process id. */
const spawnUnguarded: typeof spawnGuarded = (_folder, program, args, options = {}) => spawn(program, args, options);

/** PostgreSQL refuses to run as root. */
async function serverUser(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([execute('id', ['-u', name]), execute('id', ['-g', name])]).catch(() => undefined);
    if (ids !== undefined) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.');
}

/** A folder for temporary files that another user can enter. */
async function openParent(): Promise<string> {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    const above = [parent];
    while (above[0] !== '/') above.unshift(dirname(above[0]!));
    const modes = await Promise.all(above.map(async (path) => (await stat(path)).mode));
    if (modes.every((mode) => (mode & 0o001) !== 0)) return parent;
  }
  throw new Error('PostgreSQL does not run as root, and its user can enter no folder for temporary files: set TMPDIR.');
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  await until(() => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode} instead of starting.`);
    return runSql(url, 'SELECT 1').then(
      () => true,
      () => undefined,
    );
  });
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
