import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createJail, findJail, processIsolation, type Jail } from '@burnish/jail';
import { decoders } from '../../../test/support/decoders.ts';
import { poll } from '../../../test/support/poll.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { countsInNamespace } from '../src/isolation/bubblewrap.ts';
import { cpuTimeMs, holdingsOf } from '../src/watch/process-usage.ts';
import { faultyPool, loader } from './pool.ts';

const ONE = { tenant: 'one' };
const children = (): number[] => decoders(process.pid);
const jails: [string, Jail][] = [
  ['the strongest isolation', findJail('auto', { permissions: false })],
  ['a process', createJail(processIsolation(), false)],
];

/** Bytes that children have in their folders. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);

describe.each(jails)('a child in %s', (_, jail) => {
  test('does nothing once its task has ended, and serves the next one', async () => {
    await using folder = await temporaryFolder();
    await using pool = faultyPool({ jail, scratchDir: folder.path });
    await pool.run('linger', { takes: ['cpu', 'memory', 'disk'] }, ONE);
    const [pid = 0] = children();
    const look = async () => [await cpuTimeMs(pid), (await holdingsOf(pid)).bytes, bytesIn(folder.path)];
    expect((await look())[0]).toBeGreaterThan(0);
    // A busy machine halts it when it runs next.
    const isStill = async (): Promise<boolean> => {
      const before = await look();
      await pause(300);
      return isDeepStrictEqual(await look(), before);
    };
    await poll(isStill).toBe(true);
    expect(await pool.run('echo', { word: 'next' }, ONE)).toMatchObject({ word: 'next' });
  });
});

test('children end after a while without a task, also those that have had none', async () => {
  await using pool = faultyPool({ idleMs: 200 });
  const { child } = (await pool.run('echo', {}, ONE)) as { child: string };
  await pool.run('echo', {}, { tenant: 'two' });
  expect(children()).not.toEqual([]);
  await poll(children).toEqual([]);
  const next = (await pool.run('echo', {}, ONE)) as { child: string };
  expect(next.child).not.toBe(child);
});

test('a child has no descriptor that the starter of its parent has left open', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');
  writeFileSync(path, 'a secret of the starter');
  const [program, secret] = [fileURLToPath(new URL('./run-task.ts', import.meta.url)), openSync(path, 'r')];
  // Node.js itself closes those below.
  const nothing = Array.from({ length: 17 }, () => 'ignore' as const);
  try {
    const printed = execFileSync(process.execPath, ['--import', loader.href, program, 'descriptors'], {
      stdio: ['ignore', 'pipe', 'inherit', ...nothing, secret, secret],
      encoding: 'utf8',
    });
    expect(printed).not.toContain('secret');
  } finally {
    closeSync(secret);
  }
});

test.each([
  ['4.18.0-553.el8.x86_64', false],
  ['5.10.0-32-amd64', false],
  ['5.14.0', true],
  ['6.1.0', true],
  ['10.0.1', true],
])('a kernel %s counts the threads of a namespace apart: %s', (version, counts) => {
  expect(countsInNamespace(version)).toBe(counts);
});
