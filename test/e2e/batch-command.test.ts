import { mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Batch, BatchItem } from '@burnish/client';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { photo } from './files.ts';
import { cleanEnvironment, runCommand, type Command } from './instance.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { hashFiles } from '../support/hash-files.ts';

/** Milliseconds; starts of the command take seconds on a busy machine. */
const SEVERAL_STARTS = 240_000;
const JPEGS = ['a.jpg', 'b.jpg', 'd.jpg', 'shoes/c.jpg'];

let instance: SharedInstance;
let work: Awaited<ReturnType<typeof temporaryFolder>>;
const file = (...names: string[]): string => join(work.path, ...names);

beforeAll(async () => {
  instance = await sharedInstance({ creditsPerPeriod: 100 });
  work = await temporaryFolder();
  await mkdir(file('shop', 'shoes'), { recursive: true });
  for (const [index, name] of ['a.jpg', 'b.jpg', 'shoes/c.jpg'].entries())
    await writeFile(file('shop', name), await photo(index + 1));
}, SEVERAL_STARTS);
afterAll(async () => {
  await work?.[Symbol.asyncDispose]();
});

async function start(...args: string[]): Promise<Command> {
  const env = await cleanEnvironment({ BURNISH_URL: instance.url, BURNISH_API_KEY: instance.apiKey });
  return runCommand(args, env, { cwd: work.path });
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const command = await start(...args);
  return { code: await command.ended, out: command.stdout(), err: command.stderr() };
}

test(
  'burnish batch leads a folder from its files to the manifest',
  async () => {
    const batch = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await run('batch', ...args);
      expect([args, code, err]).toEqual([args, 0, '']);
      return out;
    };
    const id = (await batch('create', '--upscale', 'X2', '--samples', '1', '--max-credits', '100')).trim();
    expect(id).toMatch(/^bat_/);
    const first = await run('batch', 'add', id, 'shop', 'absent.jpg');
    expect(first).toMatchObject({ code: 1, out: '3 files added, 0 already in the batch.\n' });
    expect(first.err).toBe('absent.jpg: There is no such file. Check its path.\n');
    await writeFile(file('shop', 'd.jpg'), await photo(4));
    expect(JSON.parse(await batch('add', id, 'shop', '--close', '--json'))).toMatchObject({ added: 1, repeated: 3 });

    await until(
      async () => JSON.parse(await batch('status', id, '--json')) as Batch,
      ({ status }) => status === 'APPROVAL_NEEDED',
      { pauseMs: 500 },
    );
    expect(await batch('status', id)).toMatch(
      new RegExp(
        `^${id}: APPROVAL_NEEDED\n  4 files: 3 pending, 0 running,.*\n.* of at most 100\n  Predicted: .*approve ${id}`,
        's',
      ),
    );
    expect(JSON.parse(await batch('approve', id, '--json'))).toMatchObject({
      status: 'RUNNING',
      remainingSeconds: expect.any(Number),
    });
    await until(
      async () => JSON.parse(await batch('status', id, '--json')) as Batch,
      ({ status }) => status === 'FINISHED',
      { pauseMs: 500 },
    );
    const lines = (await batch('manifest', id)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as BatchItem).map(({ key, state }) => [key, state])).toEqual([
      [join('shop', 'a.jpg'), 'FINISHED'],
      [join('shop', 'b.jpg'), 'FINISHED'],
      [join('shop', 'shoes/c.jpg'), 'FINISHED'],
      [join('shop', 'd.jpg'), 'FINISHED'],
    ]);
    expect(await batch('manifest', id, '--format', 'csv', '-o', 'manifest.csv')).toBe('manifest.csv\n');
    expect((await readFile(file('manifest.csv'), 'utf8')).split('\r\n')).toHaveLength(6);
    expect(await run('batch', 'approve', 'upl_1')).toMatchObject({ code: 1, err: expect.stringContaining('bat_…') });
    expect(await run('batch', 'cancel', id)).toMatchObject({ code: 1, out: '' });
  },
  SEVERAL_STARTS,
);

test(
  'burnish watch enhances each file once across kills and a lost folder, changes no original, and lists what it cannot read',
  async () => {
    await writeFile(file('shop', 'notes.txt'), 'x'.repeat(30_000));
    const originals = (): Promise<string> => hashFiles(file('shop'), [...JPEGS, 'notes.txt']);
    const before = await originals();
    const { used } = await instance.api.credits();
    const args = ['watch', 'shop', '--out', 'results', '--upscale', 'X4'];
    const names = async (): Promise<string[]> =>
      (await readdir(file('results'), { recursive: true })).filter((name) => name.endsWith('.jpg')).sort();

    // Killed while its files are on their way.
    let watch = await start(...args);
    await until(() => (watch.stdout().includes('enhancing') ? true : undefined));
    watch.child.kill('SIGKILL');
    await watch.ended;
    watch = await start(...args);
    await until(async () => ((await names()).length === JPEGS.length ? true : undefined));
    const list = (): Promise<string> => readFile(file('results', 'failures.ndjson'), 'utf8').catch(() => '');
    await until(async () => ((await list()) === '' ? undefined : true));
    expect(JSON.parse(await list())).toMatchObject({
      file: 'notes.txt',
      code: expect.any(String),
      reason: expect.any(String),
    });
    watch.child.kill('SIGINT');
    expect(await watch.ended).toBe(0);
    expect(await names()).toEqual(JPEGS);
    expect(await originals()).toBe(before);
    const paid = (await instance.api.credits()).used - used;

    // A restart repeats nothing; a new file and a changed one are enhanced.
    const { mtimeMs } = await stat(file('results', 'a.jpg'));
    watch = await start(...args, '--json');
    const old = (await stat(file('results', 'b.jpg'))).mtimeMs;
    await writeFile(file('shop', 'b.jpg'), await photo(5));
    await until(async () => (await stat(file('results', 'b.jpg'))).mtimeMs > old || undefined);
    // As a mount that is lost for a while.
    await rename(file('shop'), file('away'));
    await until(() => watch.stderr().includes('Burnish looks again until it succeeds.') || undefined);
    await rename(file('away'), file('shop'));
    await writeFile(file('shop', 'e.jpg'), await photo(6));
    await until(async () => (await names()).length === 5 || undefined);
    await delay(500);
    watch.child.kill('SIGTERM');
    expect(await watch.ended).toBe(0);
    const ended = { state: 'FINISHED', code: null, reason: null };
    const lines = watch.stdout().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
      ['b.jpg', 'e.jpg'].map((name) => ({ file: name, result: join('results', name), ...ended })),
    );
    expect(await names()).toEqual([...JPEGS.slice(0, 3), 'e.jpg', 'shoes/c.jpg']);
    expect((await stat(file('results', 'a.jpg'))).mtimeMs).toBe(mtimeMs);
    expect((await instance.api.credits()).used - used).toBe(paid * 1.5);
    expect(await run('watch', 'shop', '--out', 'shop')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Set another folder'),
    });
  },
  SEVERAL_STARTS,
);
