import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { findJail, processIsolation, createJail, runProgram, processTree, type ProgramRun } from '@burnish/jail';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const found = findJail('auto');
/** Folders of a shell and of what it calls. */
const SYSTEM = ['/bin', '/usr/bin', '/lib', '/lib64', '/usr/lib'];

const jails = [...new Map([found, createJail(processIsolation())].map((jail) => [jail.name, jail])).values()];

describe.each(jails.map((jail) => [jail.name, jail] as const))('a program in the jail %s', (_name, jail) => {
  const run = (script: string, more: Partial<ProgramRun> = {}): Promise<Buffer> =>
    runProgram({
      jail,
      command: (input) => ['/bin/sh', '-c', script, 'sh', input],
      env: { WORD: 'given' },
      readable: SYSTEM,
      memoryLimitBytes: 400_000_000,
      cpuMs: 5_000,
      mostOutputBytes: 10_000,
      ...more,
    });

  test('reads its file and its environment, and what it prints is returned', async () => {
    await using folder = await temporaryFolder();
    const inputPath = join(folder.path, 'file');
    await writeFile(inputPath, 'content');
    const printed = await run('read line < "$1"; echo "$WORD $line"', { inputPath, scratchDir: folder.path });
    expect(printed.toString()).toBe('given content\n');
    expect(await readdir(folder.path)).toEqual(['file']);
  });

  test.each([
    ['that prints without end', 'while :; do echo word; done', {}, 'INVALID_OUTPUT'],
    ['that computes without end', 'while :; do :; done', { cpuMs: 500 }, 'OUT_OF_TIME'],
    ['with an exit code', 'exit 3', {}, 'CRASHED'],
    ['that ends by a fault of its own', 'kill -SEGV $$', {}, 'CRASHED'],
  ])('%s is ended with a code', async (_what, script, more, code) => {
    await using folder = await temporaryFolder();
    await expect(run(script, { ...more, scratchDir: folder.path })).rejects.toMatchObject({ code });
    expect(await readdir(folder.path)).toEqual([]);
    expect(await running()).toEqual([]);
  });

  test('that hangs ends with its children when the work is cancelled', async () => {
    const cancel = new AbortController();
    // The filter of system calls permits no second process.
    const beside = jail.isolates ? '' : 'while :; do :; done &';
    const hanging = run(`${beside} while :; do :; done`, { signal: cancel.signal, cpuMs: 60_000 });
    setTimeout(() => cancel.abort(new Error('enough')), 700);
    await expect(hanging).rejects.toThrow('enough');
    expect(await running()).toEqual([]);
    await expect(run('echo', { signal: cancel.signal })).rejects.toThrow('enough');
  });

  test('that does not exist fails', async () => {
    await expect(run('', { command: () => ['/nowhere/program'] })).rejects.toMatchObject({ code: 'CRASHED' });
  });
});

/** Shells and sandboxes that this process has started since the beginning of the test: other test files may leave theirs to this process. */
async function running(): Promise<number[]> {
  return (await shells()).filter((pid) => !before.includes(pid));
}

let before: number[] = [];
beforeEach(async () => {
  before = await shells();
});

async function shells(): Promise<number[]> {
  const pids = processTree(process.pid).slice(1);
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return pids.filter((_, k) => ['sh\n', 'bwrap\n', 'dash\n'].includes(names[k]!));
}
