import { appendFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { failed } from '../../src/cli/enhance/enhance-file.ts';
import { summaryTable } from '../../src/cli/enhance/enhance-table.ts';
import { watchFolder } from '../../src/cli/watch/watch.ts';
import { openJournal } from '../../src/cli/watch/watch-journal.ts';
import { API_KEY, startFakeApi, type Script } from '../support/fake-api.ts';
import { createGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recorder } from './support.ts';

interface Line {
  file: string;
  state: string;
  result: string | null;
  reason: string | null;
}

async function setUp(script?: (filename: string) => Script, send: typeof fetch = fetch) {
  const place = await temporaryFolder();
  const api = await startFakeApi(script);
  const at = (...names: string[]): string => join(place.path, ...names);
  await mkdir(at('shop'));
  let running: Promise<void> = Promise.resolve();
  let stopping = new AbortController();
  let printed = recorder();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return {
    at,
    api,
    stop,
    /** What the last watch has printed */
    printed: () => printed.text(),
    /** Starts a watch. @returns its lines so far */
    watch(out = at('results')): { lines: () => Line[]; said: () => string } {
      const said = recorder();
      const own = (printed = recorder());
      stopping = new AbortController();
      const instance = { baseUrl: api.baseUrl, apiKey: API_KEY, fetch: send };
      running = watchFolder(
        { folder: at('shop'), out, json: true },
        { instance, signal: stopping.signal, out: own, err: said, lookMs: 20 },
      );
      const read = (line: string): Line => JSON.parse(line) as Line;
      return { lines: () => own.text().split('\n').filter(Boolean).map(read), said: said.text };
    },
    results: async () => (await readdir(at('results'))).filter((name) => !name.startsWith('.')).sort(),
    async [Symbol.asyncDispose]() {
      await stop();
      await api[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

const bytes = (letter: string): string => letter.repeat(25_000);

test('two originals whose results have one name keep both, also across a death while one is saved', async () => {
  await using t = await setUp((name) => ({ result: Buffer.alloc(30_000, name) }));
  await writeFile(t.at('shop', 'photo.jpg'), bytes('a'));
  await mkdir(t.at('results'));
  // As a watch leaves it that dies after it has chosen the path of a second `photo.jpg`.
  const journal = openJournal(t.at('results'));
  const first = { file: 'photo.heic', size: 1, mtimeMs: 1 };
  const path = journal.pathFor(first.file, t.at('results', 'photo.jpg'));
  journal.record({ ...first, state: 'FINISHED', result: path });
  await writeFile(path, 'result of photo.heic');
  const second = { file: 'photo.jpg', size: 1, mtimeMs: 1 };
  const beside = journal.pathFor(second.file, t.at('results', 'photo.jpg'));
  expect(relative(t.at('results'), beside)).toBe('photo-1.jpg');
  journal.record({ ...second, state: 'SAVING', result: beside });

  const { lines } = t.watch();
  await until(() => lines().length === 1 || undefined);
  expect(lines()).toMatchObject([{ file: 'photo.jpg', state: 'FINISHED', result: beside }]);
  expect(await readFile(path, 'utf8')).toBe('result of photo.heic');
  expect(await t.results()).toEqual(['photo-1.jpg', 'photo.jpg']);
});

test('a changed original replaces its own result, also where the folder of the results is written in another way', async () => {
  await using t = await setUp((name) => ({ result: Buffer.alloc(30_000, name) }));
  await writeFile(t.at('shop', 'a.jpg'), bytes('a'));
  let watch = t.watch();
  await until(() => watch.lines().length === 1 || undefined);
  await t.stop();
  await writeFile(t.at('shop', 'a.jpg'), bytes('b') + bytes('b'));
  const other = relative(process.cwd(), t.at('results'));
  watch = t.watch(other);
  await until(() => watch.lines().length === 1 || undefined);
  expect(watch.lines()).toMatchObject([{ file: 'a.jpg', result: join(other, 'a.jpg') }]);
  expect(await t.results()).toEqual(['a.jpg']);
});

test('a second watch with the same folder of results says so, and ends, until the first one has ended', async () => {
  await using t = await setUp();
  await writeFile(t.at('shop', 'a.jpg'), bytes('a'));
  const { lines } = t.watch();
  await until(() => lines().length === 1 || undefined);
  const second = async (): Promise<void> =>
    watchFolder(
      { folder: t.at('shop'), out: relative(process.cwd(), t.at('results')) },
      {
        instance: { baseUrl: t.api.baseUrl, apiKey: API_KEY },
        signal: AbortSignal.timeout(200),
        out: recorder(),
        err: recorder(),
      },
    );
  await expect(second()).rejects.toThrow(
    new RegExp(`Another watch, process ${process.pid}, saves its results in .*results\\. Stop it`),
  );
  await t.stop();
  await second();
});

test('while another folder is in the place of the results, as after a lost mount, nothing is sent or saved there', async () => {
  const gate = createGate();
  await using t = await setUp(undefined, async (...call) => {
    if (String(call[0]).includes('/files/')) await gate.opened;
    return fetch(...call);
  });
  await writeFile(t.at('shop', 'a.jpg'), bytes('a'));
  const { lines, said } = t.watch();
  await until(() => t.api.of('/uploads').length === 1 || undefined);
  await rename(t.at('results'), t.at('away'));
  await mkdir(t.at('results'));
  gate.open();
  await writeFile(t.at('shop', 'b.jpg'), bytes('b'));
  await until(() => said().includes('a.jpg: The folder of the results') || undefined);
  expect(await readdir(t.at('results'))).toEqual([]);
  expect(said()).toMatch(/The folder of the results, .*results, was replaced\. Mount it, or start the watch again\./);
  expect(t.api.of('/uploads')).toHaveLength(1);

  await rm(t.at('results'), { recursive: true });
  await rename(t.at('away'), t.at('results'));
  await until(() => lines().length === 1 || undefined);
  expect(lines()).toMatchObject([{ file: 'b.jpg', state: 'FINISHED' }]);
});

test('a line of the journal that a full disk cut off hides no later one', async () => {
  await using t = await setUp();
  await mkdir(t.at('results'));
  const [cut, whole] = ['cut.jpg', 'whole.jpg'].map((file) => ({ file, size: 1, mtimeMs: 1 }));
  const journal = openJournal(t.at('results'));
  await appendFile(t.at('results', '.burnish-watch.ndjson'), `\n{"file":"cut.j`);
  journal.record({ ...whole!, state: 'FINISHED' });
  const next = openJournal(t.at('results'));
  expect([next.hasEnded(cut!), next.hasEnded(whole!)]).toEqual([false, true]);
});

test('a file of somebody else in the folder of the results stays', async () => {
  await using t = await setUp();
  await mkdir(t.at('results'));
  await writeFile(t.at('results', 'a.jpg'), 'mine');
  await writeFile(t.at('shop', 'a.jpg'), bytes('a'));
  const { lines } = t.watch();
  await until(() => lines().length === 1 || undefined);
  expect(await readFile(t.at('results', 'a.jpg'), 'utf8')).toBe('mine');
  expect(await t.results()).toEqual(['a-1.jpg', 'a.jpg']);
});

test('a file that is removed or renamed while it waits for its turn is no failure', async () => {
  const gate = createGate();
  let held = 0;
  await using t = await setUp(undefined, async (...call) => {
    held += 1;
    await gate.opened;
    return fetch(...call);
  });
  const names = ['1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg', '6.jpg'];
  for (const name of names) await writeFile(t.at('shop', name), bytes(name[0]!));
  const { lines } = t.watch();
  await until(() => held === 4 || undefined);
  await rm(t.at('shop', '5.jpg'));
  await rename(t.at('shop', '6.jpg'), t.at('shop', '7.jpg'));
  gate.open();
  await until(() => lines().some(({ file }) => file === '7.jpg') || undefined);
  await t.stop();
  expect(lines().map(({ state }) => state)).toEqual(Array(5).fill('FINISHED'));
  expect(await t.results()).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg', '7.jpg']);
});

test('a folder of results that is not writable is refused before a file is sent', async () => {
  await using t = await setUp();
  await writeFile(t.at('shop', 'a.jpg'), bytes('a'));
  // Not even root can write there.
  const instance = { baseUrl: t.api.baseUrl, apiKey: API_KEY };
  const watching = watchFolder(
    { folder: t.at('shop'), out: '/sys/kernel' },
    { instance, signal: AbortSignal.timeout(500), out: recorder(), err: recorder(), lookMs: 20 },
  );
  await expect(watching).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(t.api.requests).toEqual([]);
});

test('names that are not UTF-8 are listed once, and a folder that cannot be read hides no other file', async () => {
  await using t = await setUp();
  const odd = Buffer.from([0x66, 0xff, 0x2e, 0x6a, 0x70, 0x67]);
  await writeFile(Buffer.concat([Buffer.from(`${t.at('shop')}/`), odd]), bytes('x'));
  await mkdir(Buffer.concat([Buffer.from(`${t.at('shop')}/`), Buffer.from([0xfe])]));
  await writeFile(t.at('shop', 'z.jpg'), bytes('z'));
  const { lines, said } = t.watch();
  await until(() => lines().length === 2 || undefined);
  expect(lines().find(({ state }) => state === 'FAILED')).toMatchObject({
    file: 'f\ufffd.jpg',
    reason: 'The name of the file is not UTF-8, so it cannot be opened. Rename it.',
  });
  expect(lines().find(({ state }) => state === 'FINISHED')).toMatchObject({ file: 'z.jpg' });
  await t.stop();
  expect(said().match(/cannot be read \(ENOENT\)\. Its files are left out\./g)).toHaveLength(1);
  expect(lines()).toHaveLength(2);
});

test('the name of a file sends no commands to the terminal, and forges no line of another file', async () => {
  await using t = await setUp();
  const escapes = '\u001b]0;owned\u0007\u009b2J\u202egpj.a';
  await writeFile(t.at('shop', `${escapes}.jpg`), bytes('a'));
  await writeFile(t.at('shop', 'b\nc.jpg: finished.jpg'), 'short');
  await mkdir(t.at('shop', `${escapes}d`));
  await writeFile(t.at('shop', `${escapes}d`, 'e.jpg'), bytes('e'));
  const { lines, said } = t.watch();
  const ended = await until(lines, (all) => all.length === 3);
  await t.stop();
  // A program that reads the lines gets the names as they are.
  expect(ended.map(({ file }) => file).sort()).toEqual(
    [`${escapes}.jpg`, `${escapes}d/e.jpg`, 'b\nc.jpg: finished.jpg'].sort(),
  );
  expect(t.printed()).not.toMatch(UNPRINTABLE);
  expect(said()).not.toMatch(UNPRINTABLE);
  expect(said()).toContain('\\u001b]0;owned');
  expect(said()).not.toMatch(/^c\.jpg/m);
  const [outcome] = ended.map(({ file, result }) => ({ ...outcomeOf(file), savedAs: result }));
  expect(summaryTable([outcome!])).not.toMatch(UNPRINTABLE);
});

const UNPRINTABLE = /(?!\n)[\p{Cc}\u202a-\u202e]/u;
const outcomeOf = (file: string) => ({ ...failed(file, 'It failed.'), notes: [`a note on ${file}`] });
