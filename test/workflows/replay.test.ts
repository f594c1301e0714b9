import '../setup/quiet-temporal.ts';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from '@jest/globals';
import { decodeHistory } from './history-file.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

const folder = fileURLToPath(new URL('../histories/', import.meta.url));
const files = (await readdir(folder)).filter((name) => name.endsWith('.binpb'));

describe('recorded histories', () => {
  it('exist for every kind of workflow', () => {
    for (const kind of ['upload', 'delivery']) {
      expect(files.some((name) => name.startsWith(kind))).toBe(true);
    }
  });

  it.each(files)('%s is replayed by the present code without a difference', async (file) => {
    const history = decodeHistory(await readFile(`${folder}${file}`));
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined();
  });

  it('do not fit changed code', async () => {
    const file = files.find((name) => name.startsWith('upload-pdf'))!;
    const history = decodeHistory(await readFile(`${folder}${file}`));
    const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType = { name: 'somethingElse' };
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).rejects.toThrow(/determinis/i);
  });
});
