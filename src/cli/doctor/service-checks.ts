import { readPostgresClock } from '../../database/postgres/open-postgres.ts';
import type { Config } from '../../runtime/config.ts';
import { readLocalAccess } from '../../runtime/local-access.ts';
import { connectionSettings } from '../../temporal/connection-settings.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { portTrouble } from '../../temporal/port.ts';
import { findDownload, findStoredBinary, resolveServerBinary } from '../../temporal/server-binary.ts';
import { advice, check, fault, good, type Finding } from './finding.ts';

/** Difference of two clocks that nothing of Burnish notices, milliseconds. */
const CLOCK_TOLERANCE_MS = 10_000;
/** Milliseconds for a running instance to answer. */
const ANSWER_MS = 3_000;

type Env = NodeJS.ProcessEnv;

/**
 * The Temporal server that a start would use. It downloads nothing.
 * @param downloadUrl replaces that of Temporal's downloads
 */
export const checkTemporal = (
  { dataDir, temporalBinary }: Pick<Config, 'dataDir' | 'temporalBinary'>,
  env: Env,
  downloadUrl?: string,
): Promise<Finding> =>
  check('Temporal', async () => {
    const settings = connectionSettings(env);
    if (settings !== undefined) {
      await (await connectTemporal(settings, { withinMs: 0 })).close();
      return good('Temporal', `${settings.address} serves the namespace ${settings.namespace}`);
    }
    if (temporalBinary !== null) {
      return good('Temporal', await resolveServerBinary({ dataDir, env, program: temporalBinary }));
    }
    const stored = await findStoredBinary({ dataDir, env });
    if (stored !== undefined) return good('Temporal', stored);
    const from = await findDownload({ dataDir, env, downloadUrl });
    return advice('Temporal', `The first start downloads 44 MB from ${from}.`);
  });

/** PostgreSQL, and how far its clock differs from this one; nothing for the embedded database. */
export async function checkDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<Finding[]> {
  if (databaseUrl === null) return [];
  return [
    await check('Database', async () => {
      const before = Date.now();
      const server = await readPostgresClock(databaseUrl);
      const behind = Math.max(before - server, server - Date.now(), 0);
      return behind > CLOCK_TOLERANCE_MS
        ? fault(
            'Database',
            `The clock of PostgreSQL differs by ${Math.round(behind / 1000)} s. Set both clocks by NTP.`,
          )
        : good('Database', 'PostgreSQL answers, and its clock is that of this machine');
    }),
  ];
}

/** The ports that a start listens on. Those of an instance that runs already in this data folder are no fault. */
export async function checkPorts(config: Config, env: Env): Promise<Finding[]> {
  const { host, port, temporalPort, temporalUiPort, dataDir } = config;
  const isEmbedded = connectionSettings(env) === undefined;
  const wanted = [
    { subject: 'Gateway', host, port, setting: 'BURNISH_PORT' },
    ...(isEmbedded
      ? [
          { subject: 'Temporal', host: '127.0.0.1', port: temporalPort, setting: 'BURNISH_TEMPORAL_PORT' },
          { subject: 'Temporal UI', host: '127.0.0.1', port: temporalUiPort, setting: 'BURNISH_TEMPORAL_UI_PORT' },
        ]
      : []),
  ];
  const runs = await ownInstanceRuns(dataDir);
  return await Promise.all(
    wanted.map(async (each) => {
      const subject = `Port ${each.port}`;
      const trouble = await portTrouble(each.host, each.port);
      if (trouble === undefined) return good(subject, `free for ${each.subject}`);
      if (trouble === 'EADDRINUSE' && runs) return good(subject, 'used by the instance that runs in this data folder');
      const said = trouble === 'EADDRINUSE' ? 'Another program uses it' : `It cannot be used (${trouble})`;
      return fault(subject, `${said}. Stop that program, or set ${each.setting} to another port.`);
    }),
  );
}

async function ownInstanceRuns(dataDir: string): Promise<boolean> {
  const local = await readLocalAccess(dataDir);
  if (local === undefined) return false;
  try {
    const { ok } = await fetch(`${local.baseUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return ok;
  } catch {
    return false;
  }
}
