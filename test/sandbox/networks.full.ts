import { expect, test } from '@jest/globals';
import { resolveImageParameters } from '@burnish/contract';
import { asSharp, fileWriter, scratchFolder } from '../../packages/engine/test/support/files.ts';
import { syntheticPhotograph } from '../../packages/engine/test/support/photograph.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { testModels } from '../support/models.ts';

const scratch = await scratchFolder();
const write = fileWriter(scratch);

test('networks run in the sandbox, report progress for each tile, and can be stopped at any time', async () => {
  const sandbox = createSandbox({ concurrency: 1, models: await testModels() });
  try {
    const inputPath = await write('large.jpg', asSharp(syntheticPhotograph(300, 260)).jpeg());
    const input = { inputPath, outputPath: scratch('large.out') };
    const fractions: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }): void => void fractions.push(fraction);
    const parameters = resolveImageParameters({ upscalingFactor: 'X2', engineTier: 'FINE', mode: 'OFF' });
    const made = await sandbox.run('enhance-image', { ...input, parameters }, { account: 'one', onProgress });
    expect([made.width, made.models]).toEqual([600, ['waifu2x-photo-n1']]);
    expect(fractions.length).toBeGreaterThan(4);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));

    const stop = new AbortController();
    const four = { ...parameters, upscalingFactor: 'X4' as const };
    const stopAtFirstTile = ({ fraction }: { fraction: number }): void => {
      if (fraction > 0.02) stop.abort(new Error('enough'));
    };
    const running = sandbox.run(
      'enhance-image',
      { ...input, parameters: four },
      { account: 'one', onProgress: stopAtFirstTile, signal: stop.signal },
    );
    await expect(running).rejects.toThrow('enough');
    expect((await sandbox.run('inspect-image', { inputPath }, { account: 'one' })).width).toBe(300);
  } finally {
    await sandbox.close();
  }
});
