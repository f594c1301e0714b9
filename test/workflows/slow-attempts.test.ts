import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { createDevEnvironment } from '../support/dev-server.ts';
import type { slowAttempts } from '../temporal/fixtures/slow-attempts.ts';
import { decodeHistory, encodeHistory, type History } from './history-file.ts';

type HistoryEvent = NonNullable<History['events']>[number];

const bundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../temporal/fixtures/slow-attempts.ts', import.meta.url)),
  logger: new DefaultLogger('ERROR'),
});

test('an attempt that takes too long is trouble of a worker; workflows of earlier versions blame the file', async () => {
  await using dev = await createDevEnvironment();
  const { client, nativeConnection } = dev.environment;
  const told: string[] = [];
  let attempts = 0;
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue: 'slow',
    workflowBundle: bundle,
    activities: {
      tell: (machinery: string) => void told.push(machinery),
      work: () => ((attempts += 1) === 1 ? new Promise<void>((resolve) => setTimeout(resolve, 1_500)) : undefined),
    },
  });
  const handle = await worker.runUntil(async () => {
    const started = await client.workflow.start<typeof slowAttempts>('slowAttempts', {
      taskQueue: 'slow',
      workflowId: 'slow',
    });
    expect(await started.result()).toBe('done');
    return started;
  });
  expect([told, attempts]).toEqual([['worker'], 2]);

  const history = encodeHistory(await handle.fetchHistory());
  const replay = (events: History) => Worker.runReplayHistory({ workflowBundle: bundle }, events);
  await expect(replay(decodeHistory(history))).resolves.toBeUndefined();
  // Without the mark of the patch, the step fails at once, so it does not wait for a worker as this history does.
  await expect(replay(withoutPatches(decodeHistory(history)))).rejects.toThrow(/determinis/i);
});

/** A history as an earlier version of the code wrote it: without the marks of its patches, and numbered without a gap. */
function withoutPatches({ events }: History): History {
  const isMark = (event: HistoryEvent): boolean =>
    event.markerRecordedEventAttributes?.markerName === 'core_patch' ||
    event.upsertWorkflowSearchAttributesEventAttributes !== null;
  const kept = events!.filter((event) => !isMark(event));
  expect(kept.length).toBeLessThan(events!.length);
  const numbers = new Map(kept.map(({ eventId }, index) => [Number(eventId), index + 1]));
  const renumber = (message: object): void => {
    for (const [name, value] of Object.entries(message) as [string, unknown][]) {
      if (/eventId$/i.test(name)) Object.assign(message, { [name]: numbers.get(Number(value)) ?? value });
      else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) renumber(value);
    }
  };
  kept.forEach(renumber);
  return { events: kept };
}
