import type { Readiness } from '../api/health.ts';
import type { Ground } from './ground.ts';
import type { TemporalLink } from './temporal.ts';
import type { RunningWorkers } from './workers.ts';

/** Whoever asks waits a few seconds at most. */
const ANSWER_MS = 2_000;

export const STARTING: Readiness = { ready: false, problems: ['The process is starting.'] };

/** Whether this process can do its part, whatever others do: one sentence for each thing that is missing. */
export async function processReadiness(
  { database }: Pick<Ground, 'database'>,
  { client }: Pick<TemporalLink, 'client'>,
  workers: Pick<RunningWorkers, 'running'>,
): Promise<Readiness> {
  const systemInfo = () => client.workflowService.getSystemInfo({});
  const [databaseProblems, temporalProblems] = await Promise.all([
    database.ping().then(
      () => [],
      () => ['The database does not answer.'],
    ),
    client.withDeadline(Date.now() + ANSWER_MS, systemInfo).then(
      () => [],
      () => ['Temporal does not answer.'],
    ),
  ]);
  const workerProblems = workers.running() ? [] : ['A worker of this process does not run.'];
  const problems = [...workerProblems, ...databaseProblems, ...temporalProblems];
  return { ready: problems.length === 0, problems };
}
