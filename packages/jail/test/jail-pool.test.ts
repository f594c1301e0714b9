import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_READERS, type MessageReaders, type Progress } from '../src/channel/messages.ts';
import { findJail } from '@burnish/jail';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { faultyPool, loader, type TestPool } from './pool.ts';

/** Errors that the tasks describe by a reason. */
const readers: MessageReaders<Progress> = {
  ...DEFAULT_READERS,
  failure(value, cause) {
    const { reason } = value as { reason?: unknown };
    if (typeof reason !== 'string') throw new TypeError('The failure has no reason.');
    return new RangeError(reason, { cause });
  },
};
const files = { copy: { reads: ['inputPath'], writes: ['outputPath'] }, link: { writes: ['outputPath'] } };
const results = { echo: { check: async (_: unknown, output: unknown) => refuseForged(output) } };
const pool = faultyPool({ files, results, readers, settings: { language: 'en' }, memoryLimitBytes: 400_000_000 });
afterAll(() => pool.close());
const ONE = { tenant: 'one' };

async function refuseForged(output: unknown): Promise<unknown> {
  if ((output as { forged?: boolean }).forged) throw new Error('The output is forged.');
  return output;
}

describe('a pool', () => {
  test('starts children of a process with a lower priority than theirs', async () => {
    const program = fileURLToPath(new URL('./run-task.ts', import.meta.url));
    const node = [process.execPath, '--import', loader.href, program, 'echo', 'here'];
    const { stdout } = await promisify(execFile)('nice', ['-n', '15', ...node]);
    expect(JSON.parse(stdout)).toMatchObject({ word: 'here' });
  });

  test('whose children run as another user refuses paths that this user cannot read', async () => {
    await using folder = await temporaryFolder();
    const [file, jail] = [join(folder.path, 'model'), { ...findJail('off'), changesUser: true }];
    const create = (path: string): TestPool => faultyPool({ jail, readable: [path] });
    await writeFile(file, 'bytes', { mode: 0o640 });
    for (const path of [folder.path, file])
      expect(() => create(path)).toThrow(expect.objectContaining({ code: 'PRIVATE_PATH', path }));
    await Promise.all([chmod(folder.path, 0o755), chmod(file, 0o644)]);
    for (const path of [folder.path, file]) await create(path).close();
  });
});

describe('a task', () => {
  test('has the settings of the pool, and its child stays for the next task of its tenant only', async () => {
    const first = (await pool.run('echo', { word: 'as it is' }, ONE)) as { child: string };
    expect(first).toMatchObject({ word: 'as it is', settings: { language: 'en' } });
    expect(await pool.run('echo', {}, ONE)).toMatchObject({ child: first.child });
    const other = (await pool.run('echo', {}, { tenant: 'two' })) as { child: string };
    expect(other.child).not.toBe(first.child);
  });

  test('reads and writes the files that it names', async () => {
    await using folder = await temporaryFolder();
    const [inputPath, outputPath] = [join(folder.path, 'in'), join(folder.path, 'out')];
    await writeFile(inputPath, 'bytes');
    await pool.run('copy', { inputPath, outputPath }, ONE);
    expect(await readFile(outputPath, 'utf8')).toBe('bytes');
    await expect(pool.run('copy', { inputPath: join(folder.path, 'none'), outputPath }, ONE)).rejects.toMatchObject({
      code: 'FILE_ERROR',
    });
  });

  test('sees no environment of its parent, and no file that it does not name where the kernel isolates', async () => {
    const names = (await pool.run('environment', {}, ONE)) as string[];
    // The shell that sets limits has its own.
    expect(names.filter((name) => !['PWD', 'SHLVL', '_'].includes(name))).toEqual(['TMPDIR']);
    const paths = [import.meta.filename, '/etc/passwd', '/proc/1/environ'];
    const seen = await pool.run('look', { paths }, ONE);
    // The folder of the tasks is open to them.
    expect(seen).toEqual(findJail().isolates ? [import.meta.filename] : paths);
  });

  test('tells its progress, whose fraction stays within bounds', async () => {
    const told: Progress[] = [];
    await pool.run('tell', {}, { ...ONE, onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([
      { step: 'first', fraction: 0.5 },
      { step: 'last', fraction: 1 },
    ]);
  });
});

describe('a task without a result', () => {
  test.each([
    ['loop', { cpuMs: 300 }, 'OUT_OF_TIME'],
    ['hog', {}, 'OUT_OF_MEMORY'],
    ['crash', {}, 'CRASHED'],
    ['noSuchTask', {}, 'TASK_FAILED'],
  ])('(%s) has a code, and costs no other one', async (task, options, code) => {
    await expect(pool.run(task, {}, { ...ONE, ...options })).rejects.toMatchObject({ name: 'JailError', code });
    expect(await pool.run('echo', { still: 'here' }, ONE)).toMatchObject({ still: 'here' });
  });

  test('has the unexpected error of its code as its cause', async () => {
    const error = await pool.run('fail', {}, ONE).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'TASK_FAILED', message: 'The task failed.' });
    expect(String((error as Error).cause)).toContain('TypeError: a defect');
  });

  test('has the error that its module describes', async () => {
    const error = await pool.run('refuse', {}, ONE).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: 'too long' });
    expect(String((error as Error).cause)).toContain('of bytes');
  });

  test('has sent an output that its check refuses, or left a link in place of a file', async () => {
    await expect(pool.run('echo', { forged: true }, ONE)).rejects.toMatchObject({ code: 'INVALID_OUTPUT' });
    await using folder = await temporaryFolder();
    const link = pool.run('link', { outputPath: join(folder.path, 'out'), target: '/etc/passwd' }, ONE);
    await expect(link).rejects.toMatchObject({ code: 'INVALID_OUTPUT' });
  });

  test('ends with the reason of its signal, or with its pool', async () => {
    await using other = faultyPool();
    const ending = new AbortController();
    const stopped = other.run('loop', {}, { ...ONE, signal: ending.signal });
    ending.abort(new Error('Enough.'));
    await expect(stopped).rejects.toThrow('Enough.');
    await other.close();
    await expect(other.run('echo', {}, ONE)).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
