import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { photo } from '../e2e/files.ts';
import { startInstance, type Instance } from '../e2e/instance.ts';
import { until } from '../support/until.ts';

/** Holds the lock of the server's database, so that it answers questions from memory, and finishes no write. */
const HOLD = `
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
database.execute("begin exclusive")
print("held", flush=True)
time.sleep(600)
`;

async function holdDatabase(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'temporal', 'temporal.sqlite');
  const holder = spawn('python3', ['-c', HOLD, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return async () => {
    holder.kill('SIGKILL');
    await once(holder, 'close');
  };
}

async function readiness({ url }: Instance): Promise<{ ready: boolean; problems: string[] }> {
  return (await (await fetch(`${url}/readyz`)).json()) as { ready: boolean; problems: string[] };
}

test('a Temporal server that answers and finishes nothing is told within two minutes, and work goes on after it', async () => {
  await using instance = await startInstance();
  const release = await holdDatabase(instance.dataDir);
  const { problems } = await until(
    () => readiness(instance),
    ({ ready }) => !ready,
    { pauseMs: 500, withinMs: 120_000 },
  );
  expect(problems).toEqual([expect.stringContaining('have finished no workflow')]);
  await release();
  await until(
    () => readiness(instance),
    ({ ready }) => ready,
    { pauseMs: 500 },
  );
  const { body } = await instance.api.upload(await photo(1), { enhancements: [{}] });
  expect(await instance.api.settled(body.id)).toMatchObject({ status: 'UPLOAD_FINISHED' });
}, 300_000);

test('the workflow that proves progress is in no list, and has one run', async () => {
  await using instance = await startInstance();
  const connection = await Connection.connect({ address: instance.temporalAddress });
  try {
    const { workflow } = new Client({ connection, namespace: 'default' });
    const listed = async (query?: string): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { workflowId } of workflow.list(query === undefined ? {} : { query })) ids.push(workflowId);
      return ids;
    };
    const hidden = 'TemporalNamespaceDivision = "burnish" and ExecutionStatus = "Completed"';
    await until(
      () => listed(hidden),
      (ids) => ids.length > 0,
    );
    const first = await workflow.getHandle('progress').describe();
    await until(
      () => workflow.getHandle('progress').describe(),
      ({ runId, status }) => runId !== first.runId && status.name === 'COMPLETED',
      { withinMs: 120_000 },
    );
    await until(
      () => listed(hidden),
      (ids) => ids.length === 1,
      { withinMs: 60_000 },
    );
    expect(await listed()).toEqual([]);
    expect(await readiness(instance)).toMatchObject({ ready: true });
  } finally {
    await connection.close();
  }
}, 300_000);
