import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Instance } from '../../test/support/instance.ts';
import type { FloorOrder, FloorRun } from './floor-worker.ts';
import { inParallel } from './jobs.ts';
import { cpuOf, sumByPart } from './processes.ts';

/** Times, and CPU milliseconds per workflow of the floor's own process and of the Temporal server. */
export interface FloorCost extends FloorRun {
  workerCpu: number;
  temporalCpu: number;
}

export interface Floor {
  /** Runs bare workflows of two local activities around one activity. */
  workflows(order: FloorOrder): Promise<FloorCost>;
  /** Sends files to an Express upload that runs the same workflow with three transactions. Answers contain the result. */
  uploads(files: readonly Buffer[], width: number): Promise<FloorCost>;
  stop(): Promise<void>;
}

/** Starts a separate process with both floors on the instance's Temporal server. */
export async function startFloor(instance: Instance, folder: string): Promise<Floor> {
  const script = fileURLToPath(new URL('floor-worker.ts', import.meta.url));
  const child = fork(script, [instance.temporalAddress, folder], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(child, 'message')) as [number];
  const cpu = (): number[] => [cpuOf(child.pid!), sumByPart(instance.pid, cpuOf).temporal];
  const measured = async (count: number, run: () => Promise<FloorRun>): Promise<FloorCost> => {
    const before = cpu();
    const times = await run();
    const [workerCpu = 0, temporalCpu = 0] = cpu().map((after, part) => (after - before[part]!) / count);
    return { ...times, workerCpu, temporalCpu };
  };
  return {
    workflows: (order) =>
      measured(order.count, async () => {
        child.send(order);
        return ((await once(child, 'message')) as [FloorRun])[0];
      }),
    uploads: (files, width) =>
      measured(files.length, async () => {
        const { seconds, results } = await inParallel(files, width, (file) => sendFile(port, file));
        return { seconds, milliseconds: results };
      }),
    async stop() {
      child.send('end');
      await once(child, 'exit');
    },
  };
}

/** Sends a file to the server of a floor on this machine. @returns milliseconds until its answer */
export async function sendFile(port: number, file: Buffer): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/upload`, { method: 'POST', body: file });
  if (!answer.ok) throw new Error(`The floor's upload was answered with ${answer.status}: ${await answer.text()}`);
  await answer.json();
  return performance.now() - begun;
}
