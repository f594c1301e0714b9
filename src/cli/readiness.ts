import type { Readiness } from '../api/health.ts';
import { unpolledTaskQueues } from '../worker.ts';
import type { Ground } from './ground.ts';
import type { TemporalLink } from './temporal.ts';
import type { RunningWorkers } from './workers.ts';

/** Whoever asks waits a few seconds at most. */
const ANSWER_MS = 2_000;
const TEMPORAL_AWAY = ['Temporal does not answer.'];

type Database = Pick<Ground, 'database'>;
type Client = TemporalLink['client'];

export const STARTING: Readiness = { ready: false, problems: ['The process is starting.'] };

/** Whether all that an upload needs is there, whichever process it is in: one sentence for each thing that is missing. */
export function gatewayReadiness(
  { database }: Database,
  client: Client,
  namespace: string,
  hosted: boolean,
): Promise<Readiness> {
  const queues = unpolledTaskQueues(client, namespace, hosted).then(
    (unpolled) => unpolled.map((queue) => `No worker polls the task queue ${queue}.`),
    () => TEMPORAL_AWAY,
  );
  return readinessBy([databaseProblems(database), queues]);
}

/** Whether this process can do its part, whatever others do. */
export function processReadiness(
  { database }: Database,
  { client }: { client: Client },
  workers: Pick<RunningWorkers, 'running'>,
): Promise<Readiness> {
  const systemInfo = () => client.workflowService.getSystemInfo({});
  const temporal = client.withDeadline(Date.now() + ANSWER_MS, systemInfo).then(
    () => [],
    () => TEMPORAL_AWAY,
  );
  const own = workers.running() ? [] : ['A worker of this process does not run.'];
  return readinessBy([Promise.resolve(own), databaseProblems(database), temporal]);
}

async function readinessBy(checks: Promise<string[]>[]): Promise<Readiness> {
  const problems = (await Promise.all(checks)).flat();
  return { ready: problems.length === 0, problems };
}

function databaseProblems(database: Ground['database']): Promise<string[]> {
  return database.ping().then(
    () => [],
    () => ['The database does not answer.'],
  );
}
