import { StartupError } from '../../domain/startup-error.ts';
import { DATABASE_MS } from '../../domain/temporal/timeouts.ts';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Client, type ClientConfig, type Pool } from 'pg';
import type { Database } from '../database.ts';
import { migrateDatabase } from '../migrate.ts';
import { GuardedPool } from './guarded-pool.ts';
import { postgresListener } from './postgres-listener.ts';

/** Any fixed number that no other lock in the same database uses. */
const MIGRATION_LOCK = 7_204_112_681;
const CONNECT_TIMEOUT_MS = 10_000;
const POOL_SIZE = 10;

/** @throws Error with one sentence when the server is unreachable or refuses the connection, or the database is too old */
export async function openPostgres(url: string): Promise<Database> {
  const connection: ClientConfig = { ...parse(url), connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
  await migratePostgres(connection, url);

  const pool = new GuardedPool({
    ...connection,
    connectionTimeoutMillis: DATABASE_MS.connection,
    max: POOL_SIZE,
    query_timeout: DATABASE_MS.statement,
  });
  const stops = new Set<() => Promise<void>>();
  return {
    kind: 'postgres',
    orm: drizzle(pool as unknown as Pool),
    async ping() {
      await pool.query('select 1');
    },
    async listen(channel, callback) {
      const stop = await postgresListener(connection, channel, callback);
      stops.add(stop);
      return async () => {
        stops.delete(stop);
        await stop();
      };
    },
    problem: () => undefined,
    async close() {
      await Promise.all([...stops].map((stop) => stop()));
      await pool.end();
    },
  };
}

/** The time of the server, milliseconds since the epoch. @throws StartupError when the server is unreachable or refuses the connection */
export async function readPostgresClock(url: string): Promise<number> {
  const client = await connect({ ...parse(url), connectionTimeoutMillis: CONNECT_TIMEOUT_MS }, url);
  try {
    const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
    return rows[0]!.now.getTime();
  } finally {
    await client.end();
  }
}

/** Migrates the database. A lock serializes processes that start at once. */
async function migratePostgres(connection: ClientConfig, url: string): Promise<void> {
  const client = await connect(connection, url);
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrateDatabase(drizzle(client));
  } finally {
    await client.end();
  }
}

async function connect(connection: ClientConfig, url: string): Promise<Client> {
  const client = new Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    // pg puts the server's message here, such as the user with the wrong password, never the password itself.
    const reason = error instanceof Error && error.message !== '' ? error.message : readErrorCode(error);
    throw new StartupError(
      `PostgreSQL at ${describeServer(url)} cannot be reached: ${reason}. Start it, or correct DATABASE_URL.`,
      { cause: error },
    );
  }
  return client;
}

function parse(url: string): ClientConfig {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new StartupError('The database address is not valid: expected postgres://user:password@host:port/database.');
  }
  return { connectionString: url };
}

function describeServer(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
}

function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
