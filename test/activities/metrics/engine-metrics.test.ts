import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, test } from '@jest/globals';
import { resolveImageParameters } from '@burnish/contract';
import { createEngineMetrics, measureSandbox } from '../../../src/activities/metrics.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { photo } from '../../e2e/files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('engine metrics are labelled by task, outcome and step', async () => {
  await using folder = await temporaryFolder();
  const registry = new Registry();
  const sandbox = measureSandbox(createSandbox({ concurrency: 1 }), createEngineMetrics(registry));
  const inputPath = join(folder.path, 'photo');
  const broken = join(folder.path, 'broken');
  await writeFile(inputPath, await photo());
  await writeFile(broken, 'no image');
  const told: string[] = [];
  try {
    const parameters = resolveImageParameters({ upscalingFactor: 'X2' });
    const outputPath = join(folder.path, 'result');
    const onProgress = ({ step }: { step: string }): void => void told.push(step);
    await sandbox.run('enhance-image', { inputPath, outputPath, parameters }, { account: 'one', onProgress });
    await expect(sandbox.run('inspect-image', { inputPath: broken }, { account: 'one' })).rejects.toThrow();
    const signal = AbortSignal.abort();
    await expect(sandbox.run('inspect-image', { inputPath }, { account: 'one', signal })).rejects.toThrow();
  } finally {
    await sandbox.close();
  }
  const lines = (await registry.metrics()).split('\n');
  for (const [task, outcome] of [
    ['enhance-image', 'completed'],
    ['inspect-image', 'failed'],
    ['inspect-image', 'stopped'],
  ]) {
    expect(lines).toContain(`burnish_engine_task_duration_seconds_count{task="${task}",outcome="${outcome}"} 1`);
  }
  expect(told.length).toBeGreaterThan(1);
  for (const step of new Set(told)) {
    expect(lines).toContain(`burnish_engine_step_duration_seconds_count{task="enhance-image",step="${step}"} 1`);
  }
});

test('unknown step names from a child share one label', () => {
  const { stepLabel } = createEngineMetrics(new Registry());
  expect(stepLabel('upscale')).toBe('upscale');
  expect(stepLabel('Not a "name"')).toBe('other');
  for (let n = 0; n < 100; n += 1) stepLabel(`step-${n}`);
  expect([stepLabel('step-0'), stepLabel('step-99'), stepLabel('upscale')]).toEqual(['step-0', 'other', 'upscale']);
});
