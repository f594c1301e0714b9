import { setTimeout as pause } from 'node:timers/promises';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { type EnhancementProgress, Failure } from '@burnish/contract';
import { findJail } from '../../src/sandbox/jail.ts';
import { createFairLimiter } from '../../src/process/fair-limiter.ts';
import { createSandbox, type RunOptions, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { decoders } from '../support/decoders.ts';
import { listOfTasks } from './support/list-of-tasks.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';
import { createGate } from '../support/gate.ts';
import { poll } from '../support/poll.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const scratch = await scratchFolder();
const tasksUrl = listOfTasks('faulty-tasks');

interface FaultySandbox extends AsyncDisposable {
  run(task: string, input?: object, options?: Partial<RunOptions>): Promise<Record<string, unknown>>;
}

/** A sandbox that runs the faulty tasks instead of the engine's. */
function faulty(options: SandboxOptions = {}): FaultySandbox {
  const sandbox = createSandbox({ concurrency: 1, tasksUrl, ...options });
  const run = sandbox.run as unknown as (
    task: string,
    input: object,
    options: RunOptions,
  ) => Promise<Record<string, unknown>>;
  return {
    run: (task, input = {}, given) => run(task, input, { account: 'one', ...given }),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

const shared = faulty();
afterAll(async () => await shared[Symbol.asyncDispose]());
const failure = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => {
      throw new Error('no failure');
    },
    (error: Failure) => error,
  );
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Of the sandboxes that were made since, while the shared one keeps its child. */
const decodersSince = (before: readonly number[]): number[] =>
  decoders(process.pid).filter((pid) => !before.includes(pid));

describe('the sandbox', () => {
  test('refuses a folder that Node.js would take for a pattern', async () => {
    await using folder = await temporaryFolder();
    const scratchDir = join(folder.path, 'photos*');
    await mkdir(scratchDir);
    const jail = { ...findJail(), layers: ['Node.js permissions'] };
    expect(() => createSandbox({ scratchDir, jail })).toThrow(/photos\*.* has an asterisk, which decoders cannot use/);
    await createSandbox({ scratchDir, jail: { ...jail, layers: [] } }).close();
  });

  test('runs two tasks in the same child process, outside of the parent', async () => {
    const first = await shared.run('echo', { words: 'as they are' });
    expect(first['words']).toBe('as they are');
    expect(decoders(process.pid)).not.toEqual([]);
    expect((await shared.run('echo'))['child']).toBe(first['child']);
  });

  test('passes no environment to the child', async () => {
    jest.replaceProperty(process, 'env', { ...process.env, BURNISH_HOSTED_API_KEY: 'secret' });
    await using sandbox = faulty();
    const { names } = await sandbox.run('environment');
    jest.restoreAllMocks();
    expect(names).not.toContain('BURNISH_HOSTED_API_KEY');
    expect(names).not.toContain('PATH');
  });

  test('forwards progress at each step, without repeated messages', async () => {
    const told: EnhancementProgress[] = [];
    await shared.run('progress', {}, { onProgress: (progress) => told.push(progress) });
    expect(told[0]).toEqual({ step: 'first', fraction: 0 });
    expect(told.at(-1)).toEqual({ step: 'second', fraction: 0.5 });
    expect(told.length).toBeLessThan(500);
  });

  test('ends a slow task as PROCESSING_LIMIT, and continues with a new child', async () => {
    expect(await failure(shared.run('loop', {}, { cpuMs: 300 }))).toMatchObject({ code: 'PROCESSING_LIMIT' });
    expect(await shared.run('echo', { still: 'here' })).toMatchObject({ still: 'here' });
  });

  test('ends a task with too much memory as PROCESSING_LIMIT, off the heap or on it', async () => {
    await using sandbox = faulty({ memoryLimitBytes: 300_000_000 });
    expect(await failure(sandbox.run('hog'))).toMatchObject({ code: 'PROCESSING_LIMIT' });
    expect(await failure(sandbox.run('heap'))).toMatchObject({ code: 'PROCESSING_LIMIT' });
  });

  test.each(['crash', 'exit'])('blames the file if the child ends by itself (%s)', async (task) => {
    expect(await failure(shared.run(task))).toMatchObject({ code: 'CORRUPT_FILE' });
    expect(await shared.run('echo', { still: 'here' })).toMatchObject({ still: 'here' });
  });

  test('keeps a child at work when the terminal interrupts the process group', async () => {
    const { child } = await shared.run('echo');
    for (const pid of decoders(process.pid)) {
      process.kill(pid, 'SIGINT');
      process.kill(pid, 'SIGTERM');
    }
    expect((await shared.run('echo'))['child']).toBe(child);
  });

  test('does not count the time of a child that waits as CPU time', async () => {
    expect(await shared.run('pause', {}, { cpuMs: 600 })).toMatchObject({ rested: true });
  });

  test('repeats a task whose child was killed once from outside, and never blames the file for that', async () => {
    await shared.run('echo');
    const killOne = (): void => process.kill(decoders(process.pid).at(-1)!, 'SIGKILL') as unknown as void;
    const once = shared.run('pause');
    await pause(300);
    killOne();
    expect(await once).toMatchObject({ rested: true });

    const twice = failure(shared.run('loopAfterTelling', {}, { onProgress: killOne }));
    expect(await twice).toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
  });

  test('does not blame the file for one crash after a kill from outside', async () => {
    await shared.run('echo');
    const crash = failure(shared.run('crashAfterPause'));
    await pause(300);
    process.kill(decoders(process.pid).at(-1)!, 'SIGKILL');
    expect(await crash).toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('replaces a stopped child, and repeats its task', async () => {
    // The shared child, which replaces the one of the test before, is there first.
    await shared.run('echo');
    const before = decoders(process.pid);
    await using sandbox = faulty({ stalledMs: 500 });
    const { child } = await sandbox.run('echo');
    const stopped = decodersSince(before);
    expect(stopped).not.toEqual([]);
    const stop = (): void => stopped.filter(isRunning).forEach((pid) => process.kill(pid, 'SIGSTOP'));
    expect(await sandbox.run('workAfterTelling', {}, { onProgress: stop })).toEqual({ worked: true });
    expect((await sandbox.run('echo'))['child']).not.toBe(child);
    await poll(() => stopped.filter(isRunning)).toEqual([]);
  });

  test('reports a child that is stopped twice as trouble of the machine', async () => {
    // The shared child, which replaces the one of the test before, is there first.
    await shared.run('echo');
    const before = decoders(process.pid);
    await using sandbox = faulty({ stalledMs: 500 });
    await sandbox.run('echo');
    const task = failure(sandbox.run('loopAfterTelling', {}, { onProgress: stop }));
    function stop(): void {
      for (const pid of decodersSince(before)) process.kill(pid, 'SIGSTOP');
    }
    expect(await task).toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
  });

  test('passes on a Failure with code, message and field, and its cause for the log only', async () => {
    const found = await failure(shared.run('fail'));
    expect(found).toBeInstanceOf(Failure);
    expect(found).toMatchObject({ code: 'TOO_MANY_PIXELS', message: 'Far too many.', field: 'pixels' });
    expect(String((found.cause as Error).message)).toContain('hidden');
  });

  test.each(['bug', 'noSuchTask'])('turns any other error (%s) into INTERNAL without details', async (task) => {
    const found = await failure(shared.run(task));
    expect(found.code).toBe('INTERNAL');
    expect(found.message).not.toMatch(/secret|noSuchTask/);
  });

  test('kills the child when the signal aborts, and rejects with its reason', async () => {
    await shared.run('echo');
    const pids = decoders(process.pid);
    const abort = new AbortController();
    const running = shared.run('loop', {}, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error('cancelled')), 100);
    await expect(running).rejects.toThrow('cancelled');
    await poll(() => pids.filter(isRunning)).toEqual([]);
  });

  test('removes an aborted task from the queue, and keeps the order of the others', async () => {
    await using sandbox = faulty();
    const order: string[] = [];
    const abort = new AbortController();
    const first = failure(sandbox.run('loop', {}, { cpuMs: 400 })).then(() => order.push('first'));
    const second = failure(sandbox.run('echo', {}, { signal: abort.signal })).then(() => order.push('second'));
    const third = sandbox.run('echo').then(() => order.push('third'));
    const fourth = sandbox.run('echo').then(() => order.push('fourth'));
    abort.abort(new Error('cancelled'));
    await Promise.all([first, second, third, fourth]);
    expect(order).toEqual(['second', 'first', 'third', 'fourth']);
  });

  test('replaces a child after a number of tasks', async () => {
    await using sandbox = faulty({ tasksPerChild: 2 });
    const children = [];
    for (let i = 0; i < 4; i += 1) children.push((await sandbox.run('echo'))['child']);
    expect(children[0]).toBe(children[1]);
    expect(children[2]).toBe(children[3]);
    expect(children[0]).not.toBe(children[2]);
  });

  test('processes as many files in parallel as its setting allows', async () => {
    await using sandbox = faulty({ concurrency: 2 });
    const children = await Promise.all([1, 2, 3, 4].map(() => sandbox.run('echo').then(({ child }) => child)));
    expect(new Set(children).size).toBe(2);
  });

  test('runs work with permits of its own while other work takes all permits, then gives its child to either', async () => {
    await using sandbox = faulty();
    const limiter = createFairLimiter({ atOnce: 1 });
    const ending = new AbortController();
    const begin = createGate();
    const busy = failure(sandbox.run('loopAfterTelling', {}, { signal: ending.signal, onProgress: begin.open }));
    // The end of a task that has not begun keeps its child.
    await begin.opened;
    const first = await sandbox.run('echo', {}, { limiter });
    expect((await sandbox.run('echo', {}, { limiter }))['child']).toBe(first['child']);
    ending.abort(new Error('Enough.'));
    await busy;
    expect((await sandbox.run('echo'))['child']).toBe(first['child']);
  });

  test('starts each child with a task that needs it', async () => {
    await shared.run('echo');
    const before = decoders(process.pid);
    await using sandbox = faulty({ concurrency: 3 });
    expect(decodersSince(before)).toEqual([]);
    await sandbox.run('echo');
    // With a supervisor, a child is several processes.
    const processes = decodersSince(before).length;
    await sandbox.run('echo');
    expect(decodersSince(before).length).toBe(processes);
    await Promise.all([sandbox.run('echo'), sandbox.run('echo')]);
    expect(decodersSince(before).length).toBe(2 * processes);
  });

  test('leaves no process when it is closed, and fails running and waiting tasks', async () => {
    await shared.run('echo');
    const before = decoders(process.pid);
    const sandbox = faulty();
    await sandbox.run('echo');
    const pids = decodersSince(before);
    expect(pids).not.toEqual([]);
    const running = failure(sandbox.run('loop'));
    const waiting = failure(sandbox.run('echo'));
    await sandbox[Symbol.asyncDispose]();
    expect(await running).toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
    expect(pids.filter(isRunning)).toEqual([]);
    expect(await failure(sandbox.run('echo'))).toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
  });

  test('ends its children when it is killed itself, even one that loops', async () => {
    const pidFile = scratch('pid');
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const parent = fork(
      fileURLToPath(new URL('./support/sandbox-parent.ts', import.meta.url)),
      [new URL('./support/faulty-tasks.ts', import.meta.url).href, pidFile],
      {
        execArgv: ['--import', tsx],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    );
    const pids = await until(() =>
      readFile(pidFile, 'utf8')
        .then((text) => JSON.parse(text) as number[])
        .catch(() => undefined),
    );
    expect(pids).not.toEqual([]);
    expect(pids.every(isRunning)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await poll(() => pids.filter(isRunning)).toEqual([]);
  });
});
