import '../setup/quiet-temporal.ts';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from '@jest/globals';
import { NEXUS_TASK_QUEUE } from '../../src/domain/temporal/operation-interface.ts';
import { MAIN_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import { decodeHistory, type History } from './history-file.ts';
import { expectNamed } from '../support/expect-named.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

const folder = fileURLToPath(new URL('../histories/', import.meta.url));
const workflows = fileURLToPath(new URL('../../src/workflows/', import.meta.url));
const isSource = (name: string): boolean => name.endsWith('.ts');
const files = (await readdir(folder)).filter((name) => name.endsWith('.binpb'));

/** Names of the patches whose new branch a history takes; the SDK marks each once. */
function takenPatches({ events }: History): string[] {
  return (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => {
    if (marker?.markerName !== 'core_patch') return [];
    const { data } = marker.details!['patch-data']!.payloads![0]!;
    return [(JSON.parse(Buffer.from(data!).toString()) as { id: string }).id];
  });
}

describe('recorded histories', () => {
  it('exist for every kind of workflow', () => {
    for (const kind of ['upload', 'delivery', 'operation', 'batch']) {
      expect(files.some((name) => name.startsWith(kind))).toBe(true);
    }
  });

  it('take every patch of the present code, and docs/operations.md lists it', async () => {
    const sources = await readdir(workflows, { recursive: true });
    const texts = await Promise.all(sources.filter(isSource).map((name) => readFile(`${workflows}${name}`, 'utf8')));
    const patches = texts.flatMap((text) => [...text.matchAll(/\bpatched\('([^']+)'\)/g)].map(([, name]) => name!));
    const histories = await Promise.all(files.map(async (file) => decodeHistory(await readFile(`${folder}${file}`))));
    const taken = histories.flatMap(takenPatches);
    expect(patches.filter((name) => !taken.includes(name))).toEqual([]);
    const page = await readFile(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)), 'utf8');
    expect(patches.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('are of the queues of the present code, since no worker replays those of another', async () => {
    for (const file of files) {
      const { events } = decodeHistory(await readFile(`${folder}${file}`));
      const queue = events?.[0]?.workflowExecutionStartedEventAttributes?.taskQueue?.name;
      expectNamed([MAIN_TASK_QUEUE, NEXUS_TASK_QUEUE], file).toContain(queue);
    }
  });

  it('are replayed by the present code without a difference', async () => {
    const histories = await Promise.all(
      files.map(async (file) => ({ workflowId: file, history: decodeHistory(await readFile(`${folder}${file}`)) })),
    );
    const replayed: string[] = [];
    // One worker replays them all: its start takes longer than a history.
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
      expectNamed(error, workflowId).toBeUndefined();
      replayed.push(workflowId);
    }
    expect(replayed).toEqual(files);
  }, 180_000);

  it('do not fit changed code', async () => {
    const file = files.find((name) => name.startsWith('upload-pdf'))!;
    const history = decodeHistory(await readFile(`${folder}${file}`));
    const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType = { name: 'somethingElse' };
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).rejects.toThrow(/determinis/i);
  });
});
