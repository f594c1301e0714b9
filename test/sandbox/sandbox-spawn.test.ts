import childProcess, { type SpawnOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { listOfTasks } from './support/list-of-tasks.ts';

/** What the machine answers to one who wants a process; null for the process. */
const machine = { refusal: null as 'throws' | 'tells' | null };

const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn(program: string, args: string[], options: SpawnOptions) {
    if (machine.refusal === 'throws') throw Object.assign(new Error('spawn EIO'), { code: 'EIO' });
    // A program that is not there is told as an event, as are too many files and too many processes.
    return spawn(machine.refusal === 'tells' ? '/nowhere/node' : program, args, options);
  },
});
syncBuiltinESMExports();

// Once, 77 uploads stood still after a machine could not start processes for a minute: each failure had cost a place in the pool.
test.each(['throws', 'tells'] as const)(
  'the sandbox recovers once the machine starts processes again (%s)',
  async (refusal) => {
    machine.refusal = refusal;
    const tasksUrl = listOfTasks('faulty-tasks');
    const sandbox = createSandbox({ concurrency: 2, tasksUrl });
    const start = sandbox.run as unknown as (...args: unknown[]) => Promise<{ child: string }>;
    const run = (task: string, input: object) => start(task, input, { account: 'one' });
    try {
      for (let i = 0; i < 5; i += 1) {
        await expect(Promise.all([run('echo', {}), run('echo', {}), run('echo', {})])).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        });
      }
      machine.refusal = null;
      // What was started before that is found dead by those who get it, one each.
      await Promise.allSettled([run('echo', {}), run('echo', {})]);
      const answers = await Promise.all([run('echo', {}), run('echo', {}), run('echo', {}), run('echo', {})]);
      expect(new Set(answers.map(({ child }) => child)).size).toBe(2);
    } finally {
      await sandbox.close();
    }
  },
);
