import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchInstance } from './instance.ts';
import type { FloorOrder, FloorRun } from './floor-worker.ts';
import { cpuByPart, cpuOf } from './processes.ts';

export interface Floor {
  /** @returns times, and CPU milliseconds per workflow of the worker's process and of the server */
  run(order: FloorOrder): Promise<FloorRun & { workerCpu: number; temporalCpu: number }>;
  stop(): Promise<void>;
}

/** Starts a separate worker on the instance's Temporal server, with a workflow of two local activities around one activity. */
export async function startFloor(instance: BenchInstance): Promise<Floor> {
  const child = fork(fileURLToPath(new URL('floor-worker.ts', import.meta.url)), [instance.temporalAddress], {
    execArgv: ['--import', 'tsx'],
  });
  await once(child, 'message');
  const temporalCpu = (): number => cpuByPart(instance.pid).temporal;
  return {
    async run(order) {
      const before = { worker: cpuOf(child.pid!), temporal: temporalCpu() };
      child.send(order);
      const [run] = (await once(child, 'message')) as [FloorRun];
      return {
        ...run,
        workerCpu: (cpuOf(child.pid!) - before.worker) / order.count,
        temporalCpu: (temporalCpu() - before.temporal) / order.count,
      };
    },
    async stop() {
      child.send('end');
      await once(child, 'exit');
    },
  };
}
