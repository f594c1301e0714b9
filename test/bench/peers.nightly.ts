import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startPeer, type Peer } from '../../bench/peers/start-peer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A program in the place of Python. */
async function program(folder: string, ...lines: string[]): Promise<string> {
  const path = join(folder, 'python');
  await writeFile(path, ['#!/bin/sh', ...lines].join('\n'));
  await chmod(path, 0o755);
  return path;
}

test('a peer that Python does not have is named with the reason', async () => {
  await using folder = await temporaryFolder();
  const python = await program(folder.path, `echo '{"missing": "No module named ocrmypdf"}'`);
  const said = await startPeer(python, 'OCRmyPDF');
  expect(said).toContain('OCRmyPDF is left out');
  expect(said).toContain('No module named ocrmypdf');
});

test('a path without a program is named', async () => {
  await expect(startPeer('/nonexistent/python', 'OCRmyPDF')).rejects.toThrow('/nonexistent/python');
});

test('each file has its own answer, a failure has none, and both runtimes get one thread', async () => {
  await using folder = await temporaryFolder();
  const python = await program(
    folder.path,
    `echo '{}'`,
    `read -r first; echo "{\\"cpu\\": $OMP_NUM_THREADS.5}"`,
    `read -r second; echo '{"failed": "broken"}'`,
    // A third answer repeats what it was asked.
    `read -r third; echo "$third" | grep -q '"input":"a","output":"b"' && echo '{"cpu": 3}'`,
  );
  const peer = (await startPeer(python, 'OCRmyPDF')) as Peer;
  expect(await peer.run('x', 'y')).toBe(1.5);
  expect(await peer.run('x', 'y')).toBeNull();
  expect(await peer.run('a', 'b')).toBe(3);
  await expect(peer.run('a', 'b')).rejects.toThrow('ended without an answer');
  await peer.end();
});
