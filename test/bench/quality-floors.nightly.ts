import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { fileWriter, scratchFolder } from '../../packages/engine/test/support/files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = fileWriter(await scratchFolder());

/** Runs a bench on the small set. */
const bench = (command: string[], cases = ''): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, BENCH_CASE: cases };
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', ...command],
      { cwd: root, env },
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode, output: stdout + stderr });
      },
    );
  });

/** Writes the committed floors with one that is too low. */
async function lowered(path: string, floor: object): Promise<string> {
  const committed = JSON.parse(await readFile(`${root}${path}`, 'utf8')) as object;
  return file('floors.json', Buffer.from(JSON.stringify({ ...committed, ...floor })));
}

test('the small set of pictures keeps the committed floors of quality, and fails a lower one', async () => {
  const floors = await lowered('bench/quality/floors.json', { 'blur σ0.8': { engine: 0.01 } });
  const { code, output } = await bench(['bench/quality.ts', '--small', '--floor', floors], 'blur');
  expect(output.match(/^.* is \S+, above .*$/gm)).toEqual([
    expect.stringMatching(/^blur σ0.8: engine is \d+\.\d+, above 0\.01\.$/),
  ]);
  expect(code).toBe(1);
}, 300_000);

test('the small set of pictures keeps the committed floors of tone, and fails a lower one', async () => {
  const floors = await lowered('bench/tone/floors.json', { everyday: { ENHANCE: 0.01 } });
  const { code, output } = await bench(['bench/tone.ts', '--small', '--floors', floors]);
  expect(output.match(/^.* is \S+, above .*$/gm)).toEqual([
    expect.stringMatching(/^everyday: ENHANCE is \d+\.\d+, above 0\.01\.$/),
  ]);
  expect(code).toBe(1);
}, 900_000);
