import { WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, expect, test } from '@jest/globals';
import { proveProgress, type ProgressProof, type ProgressProofDeps } from '../../../src/api/health/progress-proof.ts';
import { poll } from '../../support/poll.ts';

const OFTEN_MS = 5;
const proofs: ProgressProof[] = [];
afterEach(async () => {
  await Promise.all(proofs.splice(0).map((each) => each.close()));
});

/** A Temporal server whose workflow ends as the test says. */
function server(end: () => Promise<string[]> = () => Promise.resolve([]), isReserved = false) {
  const runs: string[] = [];
  const seen = {
    looks: 0,
    starts: 0,
    deleted: [] as string[],
    options: {} as object,
  };
  const warnings: string[] = [];
  let isOpen = false;
  const refusal = Object.assign(new Error('reserved'), { code: 3, details: '', metadata: {} });
  const client = {
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
    workflow: {
      getHandle: () => ({
        describe: async () => {
          seen.looks += 1;
          if (runs.length === 0) throw new WorkflowNotFoundError('none', 'progress', undefined);
          return { runId: runs.at(-1) };
        },
      }),
      start: async (_type: string, options: object) => {
        if (isReserved && 'typedSearchAttributes' in options) throw refusal;
        seen.starts += 1;
        seen.options = options;
        if (!isOpen) runs.push(`run ${runs.length + 1}`);
        isOpen = true;
        return { firstExecutionRunId: runs.at(-1) };
      },
      result: () => end().finally(() => (isOpen = false)),
    },
    workflowService: {
      deleteWorkflowExecution: async ({ workflowExecution }: { workflowExecution: { runId: string } }) =>
        void seen.deleted.push(workflowExecution.runId),
    },
  } as unknown as ProgressProofDeps['client'];
  const log = { warn: (_facts: object, message: string) => void warnings.push(message) };
  const gateway = (proven = OFTEN_MS): ProgressProof => {
    proofs.push(proveProgress({ client, namespace: 'n', log }, { proven, failed: OFTEN_MS }));
    return proofs.at(-1)!;
  };
  return { seen, runs, warnings, gateway };
}

test('gateways share a run of one workflow, which nobody sees by chance, and its earlier runs are deleted', async () => {
  const { seen, runs, gateway } = server();
  for (let each = 0; each < 4; each += 1) gateway();
  await poll(() => seen.looks).toBeGreaterThan(40);
  await Promise.all(proofs.map((each) => each.close()));
  // Each gateway looks once in an interval, and one of them starts the run of that interval.
  expect(seen.starts).toBeLessThan(seen.looks / 2);
  expect(new Set(seen.deleted).size).toBe(runs.length - 1);
  expect(seen.deleted).not.toContain(runs.at(-1));
  expect(seen.options).toMatchObject({
    workflowId: 'progress',
    workflowIdConflictPolicy: 'USE_EXISTING',
    typedSearchAttributes: [{ key: { name: 'TemporalNamespaceDivision' } }],
  });
});

test('a part that does not work is named until it works again', async () => {
  let problems = ['Storage is not readable and writable.'];
  const { seen, gateway } = server(() => Promise.resolve(problems));
  const { problems: told } = gateway(3_600_000);
  await poll(told).toEqual(problems);
  problems = [];
  await poll(told).toEqual([]);
  const { looks } = seen;
  await new Promise((resolve) => setTimeout(resolve, 10 * OFTEN_MS));
  expect(seen.looks).toBe(looks);
});

test('a server that accepts the workflow and never ends it has stalled, which the log says once', async () => {
  let isStalled = true;
  const { gateway, warnings, seen } = server(() =>
    isStalled ? Promise.reject(new Error('deadline')) : Promise.resolve([]),
  );
  const { problems } = gateway();
  await poll(() => seen.starts).toBeGreaterThan(3);
  expect(problems()).toEqual(['Temporal and the workflow workers have finished no workflow within a minute.']);
  expect(warnings).toEqual(['work does not move']);
  isStalled = false;
  await poll(problems).toEqual([]);
});

test('a server that reserves the attribute for itself proves progress, too', async () => {
  const { gateway, seen, warnings } = server(undefined, true);
  gateway();
  await poll(() => seen.starts).toBeGreaterThan(2);
  expect(warnings).toEqual([]);
  expect(seen.options).not.toHaveProperty('typedSearchAttributes');
});
