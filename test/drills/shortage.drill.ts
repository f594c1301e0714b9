import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { processTree } from '@burnish/jail';
import { photo } from '../e2e/files.ts';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { until } from '../support/until.ts';

const ROUNDS = 4;
const AT_ONCE = 15;

/** Leaves the process 40 files more than it has open. @returns what ends the shortage */
function fewFiles({ pid }: Instance): () => void {
  const limit = (files: number): unknown => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
  const before = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]);
  limit(readdirSync(`/proc/${pid}/fd`).length + 40);
  return () => void limit(before);
}

/** Leaves the instance no thread and no process more than it has, by a control group (cgroup v1 or v2). Needs root. */
function noThreads({ pid }: Instance): () => void {
  const root = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((path) => existsSync(path))!;
  const group = `${root}/burnish-shortage-${process.pid}`;
  mkdirSync(group);
  for (const each of processTree(pid)) writeFileSync(`${group}/cgroup.procs`, String(each));
  writeFileSync(`${group}/pids.max`, readFileSync(`${group}/pids.current`, 'utf8'));
  return () => {
    for (const each of readFileSync(`${group}/cgroup.procs`, 'utf8').trim().split('\n'))
      writeFileSync(`${root}/cgroup.procs`, each);
    void until(async () => {
      rmdirSync(group);
      return await Promise.resolve(true);
    }).catch(() => undefined);
  };
}

test.each([
  ['files', fewFiles],
  ['threads', noThreads],
])(
  'an instance without further %s answers 503, ends nothing, and does all that it has accepted',
  async (name, begin) => {
    await using instance = await startInstance();
    const { api } = instance;
    const warm = await api.upload(await photo(0), { enhancements: [{}] });
    await api.settled(warm.body.id);
    const end = begin(instance);
    const accepted: string[] = [];
    const answers: Record<string, number> = {};
    const send = async (seed: number): Promise<void> => {
      const order = { enhancements: [{ upscalingFactor: 'X2' }] };
      const { status, body } = await api.upload(await photo(seed), order);
      answers[status] = (answers[status] ?? 0) + 1;
      if (status === 202) accepted.push(body.id);
    };
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const sent = Array.from({ length: AT_ONCE }, (_, index) => send(1 + round * AT_ONCE + index));
        const failed = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected');
        // A process without a file for a connection can only close it.
        if (failed.length > 0) answers['closed'] = (answers['closed'] ?? 0) + failed.length;
        await pause(500);
      }
      console.log(`${name}: ${JSON.stringify(answers)}`);
      expect(instance.running()).toBe(true);
    } finally {
      end();
    }
    for (const id of accepted) expect((await api.settled(id)).enhancements[0]?.status).toBe('FINISHED');
    const after = await api.upload(await photo(9_999), { enhancements: [{}] });
    expect(after.status).toBe(202);
    expect((await api.settled(after.body.id)).enhancements[0]?.status).toBe('FINISHED');
    expect(await instance.stop()).toBe(0);
    expect(Object.keys(answers).filter((each) => !['202', '503', 'closed'].includes(each))).toEqual([]);
  },
  600_000,
);
