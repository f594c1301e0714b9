import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runBatch } from '../../src/cli/batch/batch.ts';
import { callersUmask } from '../../src/process/private-umask.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ID = 'bat_01jz8k3v5wq4m2n7p9r6s8t0xy';
const LINES = ['{"key":"a.jpg","credits":4}\n', '{"key":"b.jpg","credits":null}\n'];
const CSV = 'key,credits\r\na.jpg,4\r\n';

/** An instance whose connection breaks in the middle of the first manifest. */
async function setUp() {
  const folder = await temporaryFolder();
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const parts = req.url!.includes('csv') ? [CSV.slice(0, 15), CSV.slice(15)] : LINES;
    asked.push(req.url!);
    res.write(parts[0]!, () => {
      if (asked.length === 1) setTimeout(() => res.destroy(), 50);
      else res.end(parts[1]);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const instance = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' };
  const out = join(folder.path, 'manifest');
  return {
    asked,
    out,
    files: () => readdir(folder.path),
    save: (format: 'ndjson' | 'csv') => runBatch(instance, { name: 'manifest', options: { id: ID, format, out } }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('burnish batch manifest saves each line of NDJSON once across a lost connection', async () => {
  await using t = await setUp();
  expect(await t.save('ndjson')).toEqual({ lines: [t.out], problems: [] });
  expect(await readFile(t.out, 'utf8')).toBe(LINES.join(''));
  expect((await stat(t.out)).mode & 0o777).toBe(0o666 & ~callersUmask());
});

test('burnish batch manifest leaves no half of a CSV, so the same command can be repeated', async () => {
  await using t = await setUp();
  await expect(t.save('csv')).rejects.toMatchObject({ name: 'BurnishError', code: 'UNREACHABLE' });
  expect(await t.files()).toEqual([]);
  await t.save('csv');
  expect(await readFile(t.out, 'utf8')).toBe(CSV);
  expect(await t.files()).toEqual(['manifest']);
});

test('burnish batch manifest refuses an existing file before it asks the instance', async () => {
  await using t = await setUp();
  await writeFile(t.out, 'mine');
  await expect(t.save('ndjson')).rejects.toThrow('exists. Set another path with --out.');
  expect(await readFile(t.out, 'utf8')).toBe('mine');
  expect(t.asked).toEqual([]);
});
