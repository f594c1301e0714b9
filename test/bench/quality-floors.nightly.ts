import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { fileWriter, scratchFolder } from '../../packages/engine/test/support/files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = fileWriter(await scratchFolder());

/** Runs `bench:quality` on the small set, with fewer cases than by hand. */
const bench = (cases: string, floor: string): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve) => {
    const command = ['--import', 'tsx', 'bench/quality.ts', '--small', '--floor', floor];
    const env = { ...process.env, BENCH_CASE: cases };
    const child = execFile(process.execPath, command, { cwd: root, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });

test('the small set of pictures keeps the committed floors, and fails a lower one', async () => {
  const committed = JSON.parse(await readFile(`${root}bench/quality/floors.json`, 'utf8')) as object;
  const floors = { ...committed, 'nothing wrong': { engine: 0.01 } };
  const { code, output } = await bench(
    '4 stops,nothing',
    await file('floors.json', Buffer.from(JSON.stringify(floors))),
  );
  expect(output).toContain('4 stops less');
  expect(output.match(/^.*, above .*$/gm)).toEqual([
    expect.stringMatching(/^nothing wrong: engine is \d+\.\d+, above 0\.01\.$/),
  ]);
  expect(code).toBe(1);
}, 300_000);
