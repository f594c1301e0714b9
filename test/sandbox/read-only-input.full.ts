import { chmod, copyFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { resolvePdfParameters, SEED_PLANS } from '@burnish/contract';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';

const scratch = await scratchFolder();
const SAMPLE = fileURLToPath(new URL('../../samples/document.pdf', import.meta.url));

test('a child without the rights of root enhances a PDF that storage keeps read-only', async () => {
  const [inputPath, outputPath] = [scratch('original'), scratch('result')];
  await copyFile(SAMPLE, inputPath);
  await chmod(inputPath, 0o400);
  const sandbox = createSandbox({ concurrency: 1 });
  try {
    const parameters = resolvePdfParameters({ targetResolution: 300 }, SEED_PLANS.BUSINESS.maxResolution);
    const paths = { inputPath, outputPath, planPath: scratch('plan') };
    await expect(
      sandbox.run('enhance-or-plan-pdf', { ...paths, parameters }, { account: 'one' }),
    ).resolves.toMatchObject({ enhanced: 3 });
    expect((await stat(outputPath)).size).toBeGreaterThan((await stat(inputPath)).size);
    expect((await stat(inputPath)).mode & 0o777).toBe(0o400);
  } finally {
    await sandbox.close();
  }
});
