import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { until } from '../support/until.ts';
import { startHangingServer } from './hanging-server.ts';
import type { Lifecycle, StartedUpload } from './lifecycle.ts';

type HangingServer = Awaited<ReturnType<typeof startHangingServer>>;

/** Starts uploads from a server that does not answer, and waits until each holds a place of its account, or all places are held. */
export async function hang(lifecycle: Lifecycle, server: HangingServer, count: number): Promise<StartedUpload[]> {
  const held = server.waiting().length;
  const started = Array.from({ length: count }, (_, n) => lifecycle.start({ url: `${server.url}/hang/${held + n}` }));
  const uploads = await Promise.all(started);
  await until(
    () => server.waiting().length,
    (waiting) => waiting === Math.min(held + count, lifecycle.transfersOfAccount),
  );
  return uploads;
}

/** Waits until a workflow has waited for a turn. */
export const deferred = ({ handle }: StartedUpload): Promise<unknown> =>
  until(async () =>
    (await handle.fetchHistory()).events?.find(({ timerStartedEventAttributes: timer }) => timer ?? undefined),
  );

/** An upload whose download waits for its turn. */
export async function deferredTransfersScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  await using server = await startHangingServer();
  const hung = await hang(lifecycle, server, lifecycle.transfersOfAccount);
  const started = await lifecycle.start({ url: `${server.url}/calm` });
  await deferred(started);
  server.release();
  await lifecycle.uploadReaches(started.id, 'UPLOAD_FINISHED');
  for (const { handle } of hung) await handle.terminate();
  await started.handle.executeUpdate(deleteUpload);
  return { 'upload-that-waited-for-its-turn': started.handle.workflowId };
}
