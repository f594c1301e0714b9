import { createServer, type Socket, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keepReleasing } from '../../src/api/webhooks/release-deliveries.ts';
import { createLeases } from '../../src/database/leases.ts';
import { deliveryWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import '../setup/quiet-temporal.ts';
import { until } from '../support/until.ts';
import { startReceiver } from './receiver.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle();

/** A gateway starts the deliveries that wait for their turn. */
let stopReleasing: () => Promise<void>;
beforeAll(() => {
  const { database, deliveries, env } = lifecycle;
  const log = { warn: () => undefined };
  stopReleasing = keepReleasing({ client: env.client, deliveries, leases: createLeases(database), log });
});
afterAll(() => stopReleasing());

/** Three times as many as a receiver gets at once. */
const EVENTS = 36;

/** A receiver that takes each request and does not end its answer before `release`. It drips every second answer, byte by byte. */
async function hangingReceiver() {
  const [silent, dripping] = [new Set<Socket>(), new Set<Socket>()];
  const count = (): number => silent.size + dripping.size;
  let requests = 0;
  let released = false;
  let most = 0;
  const answer = (socket: Socket): void => void socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (released) return void socket.once('data', () => answer(socket));
    const drips = (requests += 1) % 2 === 0;
    const kind = drips ? dripping : silent;
    kind.add(socket);
    most = Math.max(most, count());
    const drip = setInterval(() => drips && socket.write('x'), 200);
    if (drips) socket.write('HTTP/1.1 204 No Content\r\nx-slow: ');
    socket.on('close', () => {
      kind.delete(socket);
      clearInterval(drip);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Requests that wait for an answer */
    get waiting() {
      return count();
    },
    /** The largest number that waited at the same time */
    get most() {
      return most;
    },
    release(): void {
      released = true;
      for (const socket of dripping) socket.end('\r\n\r\n');
      for (const socket of silent) answer(socket);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const socket of [...silent, ...dripping]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a receiver that never ends its answers holds a bounded number of attempts, and other receivers of its account get theirs', async () => {
  await using hanging = await hangingReceiver();
  await using calm = await startReceiver([204]);
  const hung = await Promise.all(Array.from({ length: EVENTS }, () => lifecycle.start({ webhookUrl: hanging.url })));
  for (const { id } of hung) await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  await until(
    () => hanging.waiting,
    (waiting) => waiting >= 10,
  );

  const { id: calmId } = await lifecycle.start({ webhookUrl: calm.url });
  await lifecycle.uploadReaches(calmId, 'UPLOAD_FINISHED');
  await until(
    () => calm.requests.length,
    (count) => count === 1,
    { withinMs: 8_000 },
  );
  // Each has got its event while the receiver still hangs, and none waited for an attempt to run out of time.
  expect(hanging.waiting).toBeGreaterThan(0);
  expect(hanging.most).toBeLessThanOrEqual(12);

  const items = (await lifecycle.deliveries.list(lifecycle.account.id, { limit: 100 })).items;
  const ofHanging = items.filter(({ url }) => url === hanging.url);
  expect(ofHanging).toHaveLength(EVENTS);
  // What did not begin is no attempt.
  expect(ofHanging.filter(({ attempts }) => attempts === 0).length).toBeGreaterThanOrEqual(EVENTS - 24);

  hanging.release();
  for (const { id } of ofHanging) await ended(id);
  const after = await lifecycle.deliveries.attempts(
    lifecycle.account.id,
    ofHanging.map(({ id }) => id),
  );
  for (const attempts of after.values()) {
    expect(attempts.at(-1)).toMatchObject({ outcome: 'delivered', number: attempts.length });
  }
});

/** Waits for the end of a delivery: that of its workflow, which it may get later. */
async function ended(deliveryId: string): Promise<void> {
  const handle = lifecycle.env.client.workflow.getHandle(deliveryWorkflowId(deliveryId));
  while ((await lifecycle.deliveries.get(lifecycle.account.id, deliveryId))!.status === 'PENDING') {
    await handle.result().catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
    await pause(50);
  }
}
