import { expect, test } from '@jest/globals';
import type { BuildWork, WorkerTasks } from '@burnish/contract';
import { drainBuild } from '../../src/cli/operator/drain-build.ts';

const BUILD = '1.0.0+aaa';
const worker = (reported: number, more: Partial<WorkerTasks> = {}): WorkerTasks => ({
  taskQueue: 'burnish-engine',
  process: '7@a',
  stopping: false,
  tasks: 0,
  reportedAt: new Date(reported * 1_000).toISOString(),
  ...more,
});

/** Drains with a clock of its own. @param at the workers by the second of the look */
async function drain(at: (second: number) => WorkerTasks[], state: BuildWork['state'] = 'INACTIVE', limitMs = 600_000) {
  let ms = 0;
  const said: string[] = [];
  const ended = await drainBuild(BUILD, {
    look: () => Promise.resolve({ state, workers: at(ms / 1_000) }),
    report: (sentence) => void said.push(sentence),
    limitMs,
    now: () => ms,
    pause: (pauseMs) => Promise.resolve(void (ms += pauseMs)),
  }).then(
    () => 'drained',
    (error: Error) => error.message,
  );
  return { ended, seconds: ms / 1_000, said };
}

test('a worker is free only after a report from within the wait, without a task', async () => {
  // Its report of second 0 is older than its last task, which ends at second 20.
  const reports = (second: number) => [worker(Math.floor(second / 5), { tasks: second >= 5 && second < 20 ? 1 : 0 })];
  const { ended, seconds, said } = await drain(reports);
  expect([ended, seconds]).toEqual(['drained', 20]);
  expect(said).toEqual([
    `The workers of ${BUILD} have still to report that they are free.`,
    `Workers of ${BUILD} have 1 task: 7@a (burnish-engine).`,
  ]);
});

test('a worker that appears within its first interval is waited for', async () => {
  const late = (second: number) => (second < 6 ? [] : [worker(Math.floor(second / 5), { tasks: second < 30 ? 1 : 0 })]);
  expect(await drain(late)).toMatchObject({ ended: 'drained', seconds: 30 });
});

test('a stopped worker is free at once, and a killed one after a minute of silence', async () => {
  expect(await drain(() => [worker(1, { stopping: true })])).toMatchObject({ ended: 'drained', seconds: 10 });
  expect(await drain(() => [worker(1, { tasks: 2 })])).toMatchObject({ ended: 'drained', seconds: 60 });
});

test('a build that gets work is refused, and the limit names the busy workers', async () => {
  const refused = `${BUILD} gets work. Promote another build first: burnish workers promote <build>`;
  expect(await drain(() => [], 'CURRENT')).toMatchObject({ ended: refused, seconds: 0 });
  expect(await drain(() => [], 'RAMPING')).toMatchObject({ ended: refused });
  const busy = (second: number) => [worker(second, { tasks: 2 }), worker(second, { process: '8@b', tasks: 1 })];
  expect((await drain(busy, 'INACTIVE', 20_000)).ended).toBe(
    `Workers of ${BUILD} have 3 tasks: 7@a (burnish-engine), 8@b (burnish-engine). The time is over. Drain again, or stop them.`,
  );
});
