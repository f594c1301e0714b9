import { expect, test } from '@jest/globals';
import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import '../setup/quiet-temporal.ts';
import { until } from '../support/until.ts';
import { destinationReaches } from './destination-scenario.ts';
import { startHangingServer } from './hanging-server.ts';
import { deferred, hang } from './deferred-transfers-scenario.ts';
import { useLifecycle } from './use-lifecycle.ts';

const AT_ONCE = 5;
const lifecycle = useLifecycle({ transfersOfAccount: AT_ONCE });

// First: after ended workflows, the time-skipping server may lose an attempt of an activity.
test('a download that waits for a turn between its attempts has as many attempts as any other', async () => {
  await using server = await startHangingServer();
  const hung = await hang(lifecycle, server, AT_ONCE - 1);
  const failing = await lifecycle.start({ url: `${server.url}/away` });
  await until(() => server.asked.includes('/away') || undefined);
  // Its attempts take 15 seconds, within which a single upload gets the last place on any machine.
  hung.push(...(await hang(lifecycle, server, 1)));
  await deferred(failing);
  const before = server.asked.filter((path) => path === '/away').length;
  expect(before).toBeLessThan(5);
  server.release();
  for (const each of hung) await lifecycle.uploadReaches(each.id, 'UPLOAD_FINISHED');
  await lifecycle.passTime('5 min');
  await lifecycle.uploadReaches(failing.id, 'UPLOAD_FAILED');
  expect(server.asked.filter((path) => path === '/away')).toHaveLength(5);
  // Last: time may stand still for a while after the end of a workflow whose task runs.
  for (const each of [...hung, failing]) await each.handle.terminate();
}, 120_000);

test('an account whose downloads hang delays no step of another account, and its own get turns', async () => {
  await using server = await startHangingServer();
  const hung = await hang(lifecycle, server, AT_ONCE + 3);
  const owner = await lifecycle.stores.accounts.create({ name: 'Calm', plan: 'FREE' });
  const { id, handle } = await lifecycle.start({ url: `${server.url}/calm`, owner });
  await until(
    () => lifecycle.stores.uploads.get(owner.id, id),
    (upload) => upload?.status === 'UPLOAD_FINISHED',
    // Less than a download waits for the headers of an answer.
    { withinMs: 20_000 },
  );
  await handle.executeUpdate(deleteUpload);
  expect(server.waiting()).toHaveLength(AT_ONCE);

  // A deletion ends the wait for a turn.
  const waits = hung.find((_, n) => !server.waiting().includes(`/hang/${n}`))!;
  await deferred(waits);
  await waits.handle.executeUpdate(deleteUpload);
  await waits.handle.result();

  const others = hung.filter((each) => each !== waits);
  server.release();
  for (const each of others) expect(await lifecycle.uploadReaches(each.id, 'UPLOAD_FINISHED')).toMatchObject({});
  // Each was asked for once.
  expect(new Set(server.asked).size).toBe(server.asked.length);
  expect(server.asked).not.toContain(`/hang/${hung.indexOf(waits)}`);
  expect(server.most()).toBe(AT_ONCE);
  for (const each of others) await each.handle.terminate();
}, 120_000);

test('a result waits for its turn, and reaches its destination', async () => {
  await using server = await startHangingServer();
  const hung = await hang(lifecycle, server, AT_ONCE);
  const sent = await lifecycle.start({ enhancements: [{ destination: { url: `${server.url}/result` } }] });
  await lifecycle.enhancementReaches(sent.enhancementIds[0]!, 'FINISHED');
  await deferred(sent);
  expect(server.asked).not.toContain('/result');
  server.release();
  for (const each of hung) await lifecycle.uploadReaches(each.id, 'UPLOAD_FINISHED');
  await destinationReaches(lifecycle, sent.enhancementIds[0]!, 'DELIVERED');
  for (const each of [...hung, sent]) await each.handle.terminate();
}, 120_000);
