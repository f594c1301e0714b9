import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { floor } from './floor-workflow.ts';
import { inParallel } from './jobs.ts';

/** Number of workflows, and how many run concurrently. */
export interface FloorOrder {
  count: number;
  width: number;
}

export interface FloorRun {
  seconds: number;
  /** Duration of each workflow, from its start to its result */
  milliseconds: number[];
}

/** Runs bare workflows on the server in the first argument. The parent sends orders and gets results through the IPC channel. */
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.argv[2]! });
const taskQueue = `floor-${randomUUID()}`;
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('floor-workflow.ts', import.meta.url)),
  activities: { step: () => Promise.resolve() },
});
const client = new Client({ connection });

async function oneWorkflow(): Promise<number> {
  const begun = performance.now();
  const options = { taskQueue, workflowId: randomUUID(), requestEagerStart: true };
  await client.workflow.execute(floor, options);
  return performance.now() - begun;
}

await worker.runUntil(async () => {
  process.send!('ready');
  for (;;) {
    const [order] = (await once(process, 'message')) as [FloorOrder | 'end'];
    if (order === 'end') break;
    const { seconds, results } = await inParallel(Array.from({ length: order.count }), order.width, oneWorkflow);
    process.send!({ seconds, milliseconds: results } satisfies FloorRun);
  }
});
await connection.close();
process.disconnect();
