import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTAGES } from '@burnish/contract';
import type { Readiness } from '../api/health/health-operations.ts';
import { isAccessRefusal } from '../temporal/grpc-status.ts';
import { type FleetAt, unpolledTaskQueues } from './fleet.ts';
import type { Services } from './services.ts';
import type { TemporalLink } from './temporal.ts';
import { ANSWER_MS, problemsWithin, type Probe } from './storage-probe.ts';
import type { RunningWorkers } from './start-workers.ts';

/** Minimum free bytes on the disk of the data folder, for the database and temporary files. */
export const DISK_FLOOR = 200_000_000;

const TEMPORAL_AWAY = ['Temporal does not respond.'];
const TEMPORAL_REFUSES = ['Temporal refuses access: check TEMPORAL_API_KEY or the client certificate.'];

type Parts = Pick<Services, 'database' | 'dataDir'> & { probeStorage: Probe; probeDatabase: Probe };
type Client = TemporalLink['client'];

/** Wraps a check, so that it reports "starting" until the start is complete. */
export type OnceStarted = (check: () => Promise<Readiness>) => () => Promise<Readiness>;

/**
 * Checks every part that an upload needs, in any process. Returns one sentence per missing part.
 * @param parts.stalled what kept the last proof of progress from success
 */
export function gatewayReadiness(
  parts: Parts & { stalled: () => string[] },
  fleet: FleetAt,
  sandbox: string,
): Promise<Readiness> {
  const worker = fleet.deployment === null ? 'worker' : 'worker of a promoted build';
  const queues = withinTemporal(
    unpolledTaskQueues(fleet).then((unpolled) =>
      unpolled.map((queue) => `No ${worker} polls the task queue ${queue}.`),
    ),
  );
  return readinessBy([...partProblems(parts), queues, Promise.resolve(parts.stalled())], sandbox);
}

/** Checks this process, independently of others. */
export function processReadiness(
  parts: Parts,
  { client }: { client: Client },
  workers: Pick<RunningWorkers, 'running'>,
  sandbox: string,
): Promise<Readiness> {
  const systemInfo = () => client.workflowService.getSystemInfo({});
  const temporal = withinTemporal(client.withDeadline(Date.now() + ANSWER_MS, systemInfo).then(() => []));
  const own = workers.running() ? [] : ['A worker of this process is not running.'];
  return readinessBy([Promise.resolve(own), ...partProblems(parts), temporal], sandbox);
}

function withinTemporal(check: Promise<string[]>): Promise<string[]> {
  const said = check.catch((error: unknown) => (isAccessRefusal(error) ? TEMPORAL_REFUSES : TEMPORAL_AWAY));
  return problemsWithin(said, TEMPORAL_AWAY);
}

function partProblems({ database, dataDir, probeStorage, probeDatabase }: Parts): Promise<string[]>[] {
  return [
    problemsWithin(database.ping().then(probeDatabase), [OUTAGES.database.sentence]),
    probeStorage(),
    problemsWithin(diskProblems(dataDir, 'data folder'), ['The disk of the data folder cannot be read.']),
    ...['database', 'temporal'].map((part) => problemsWithin(ownDiskProblems(dataDir, part), [])),
  ];
}

/** Problems of an embedded part whose folder is on a disk of its own. Without the part there is no folder. */
async function ownDiskProblems(dataDir: string, part: string): Promise<string[]> {
  const folder = join(dataDir, part);
  const [of, own] = await Promise.all([stat(dataDir), stat(folder)]);
  return own.dev === of.dev ? [] : diskProblems(folder, `folder ${part}`);
}

async function diskProblems(folder: string, name: string): Promise<string[]> {
  const { bavail, bsize } = await statfs(folder);
  const megabytes = DISK_FLOOR / 1_000_000;
  return bavail * bsize < DISK_FLOOR ? [`The disk of the ${name} has less than ${megabytes} MB left.`] : [];
}

async function readinessBy(checks: Promise<string[]>[], sandbox: string): Promise<Readiness> {
  const problems = [...new Set((await Promise.all(checks)).flat())];
  return { ready: problems.length === 0, problems, sandbox };
}
