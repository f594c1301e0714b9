import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from '@jest/globals';
import { createSandbox } from '../../src/engine/sandbox.ts';
import { refusedLate } from '../engine/pdf/hostile-files.ts';
import { scratchFolder } from '../engine/support/files.ts';

const scratch = await scratchFolder();
const sandbox = createSandbox({ concurrency: 1, memoryLimitBytes: 700_000_000 });
afterAll(() => sandbox.close());

it.each(refusedLate)('a PDF with %s fails with the code of its limit', async (_, make, code, sentence) => {
  const inputPath = scratch('hostile.pdf');
  writeFileSync(inputPath, make());
  const run = sandbox.run(
    'analyze-pdf',
    { inputPath, factsPath: scratch('facts') },
    { account: 'one', cpuMs: 240_000 },
  );
  await expect(run).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) as unknown as string });
});
