import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { enduredLate, refusedLate } from '../../packages/engine/test/pdf/hostile-files.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';

const scratch = await scratchFolder();
const sandbox = createSandbox({ concurrency: 1, memoryLimitBytes: 700_000_000 });
afterAll(() => sandbox.close());

async function analyze(bytes: Buffer) {
  const inputPath = scratch('hostile.pdf');
  writeFileSync(inputPath, bytes);
  const input = { inputPath, factsPath: scratch('facts') };
  return sandbox.run('analyze-pdf', input, { account: 'one', cpuMs: 240_000 });
}

it.each(refusedLate)('a PDF with %s fails with the code of its limit', async (_, make, code, sentence) => {
  await expect(analyze(make())).rejects.toMatchObject({
    code,
    message: expect.stringMatching(sentence) as unknown as string,
  });
});

it.each(enduredLate)('a PDF with %s is read to its end', async (_, make, expected) => {
  expect(await analyze(make())).toMatchObject(expected);
});
