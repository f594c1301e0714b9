import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '@burnish/client';
import { deliveries } from '../../../src/database/schema/webhooks.ts';
import { createEventRecorder } from '../../../src/database/webhooks/event-recorder.ts';
import { newId } from '../../../src/domain/ids.ts';
import { testGateway } from '../support/gateway.ts';
import { useListeners } from './use-listeners.ts';

const { gateway, send, path, listening, open, listed, log, happen } = useListeners();

describe('a listener receives', () => {
  test('each event as a registered endpoint does, with a signature that the client verifies', async () => {
    const program = listening();
    await program.opens();
    await happen();
    await program.receives(1);
    const { headers, body, event } = program.received[0]!;
    const { secret } = program.opened[0]!;
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(event);
    expect(Object.keys(headers).toSorted()).toEqual([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ]);
    expect([headers['webhook-id'], event]).toEqual([
      event.id,
      { ...event, event: 'upload.status_update', data: { id: 'upl_1', text: 'ä' } },
    ]);
    await expect(verifyWebhook({ headers, body: body.replace('upl_1', 'upl_2') }, secret)).rejects.toMatchObject({
      code: 'INVALID_SIGNATURE',
    });
    await program.stop();
    expect(await log(program.opened[0]!.id)).toMatchObject([
      { status: 'DELIVERED', url: 'listener:laptop', eventId: event.id, attempts: [{ number: 1, httpStatus: 204 }] },
    ]);
    expect(gateway.temporal.starts).toEqual([]);
  });

  test('the chosen kinds only', async () => {
    const program = listening({ events: ['upload.deleted'] });
    await program.opens();
    await happen('upload.status_update');
    const id = await happen('upload.deleted');
    await program.receives(1);
    expect(program.ids()).toEqual([id]);
    await program.stop();
  });

  test('what it missed while it was away, once and in the order of creation', async () => {
    const first = listening();
    await first.opens();
    const before = await happen();
    await first.receives(1);
    await first.stop();
    const missed = [await happen(), await happen('upload.deleted'), await happen(), ...(await sameMoment(20))];
    const second = listening();
    await second.receives(missed.length);
    expect(second.opened[0]!.waiting).toBe(missed.length);
    const after = await happen();
    await second.receives(missed.length + 1);
    await second.stop();
    const third = listening();
    await third.opens();
    const last = await happen();
    await third.receives(1);
    await third.stop();
    expect([first.ids(), second.ids(), third.ids()]).toEqual([[before], [...missed, after], [last]]);
  });

  test('an event between the opening and the first stream', async () => {
    await open();
    const id = await happen();
    const program = listening();
    await program.receives(1);
    expect(program.ids()).toEqual([id]);
    await program.stop();
  });

  test('an event whose transaction ends after that of a later one', async () => {
    const program = listening();
    await program.opens();
    const later = await happen();
    await program.receives(1);
    const early = newId('evt', Date.now());
    const event = { id: early, event: 'upload.deleted', data: {}, created: new Date().toISOString() } as const;
    await gateway.database.orm.transaction(async (tx) => {
      await createEventRecorder(tx, Date.now).recordEvent(gateway.account.id, event, null);
      await tx.update(deliveries).set({ listenerSeq: 0 }).where(eq(deliveries.eventId, early));
    });
    await program.receives(2);
    expect(program.ids()).toEqual([later, early]);
    await program.stop();
  });

  test('every event beside another listener, over another gateway', async () => {
    const { database, records } = gateway;
    await using other = await testGateway({ ...records, listen: (...given) => database.listen(...given) });
    const here = listening({ name: 'here' });
    const there = listening({ name: 'there' }, undefined, { url: other.url });
    await Promise.all([here.opens(), there.opens()]);
    const ids = [await happen(), await happen(), await happen()];
    await Promise.all([here.receives(3), there.receives(3)]);
    expect([here.ids(), there.ids()]).toEqual([ids, ids]);
    await here.stop();
    const missed = await happen();
    const moved = listening({ name: 'here' }, undefined, { url: other.url });
    await moved.receives(1);
    expect(moved.ids()).toEqual([missed]);
    await Promise.all([moved.stop(), there.stop()]);
  });

  test('nothing more after another program took its name', async () => {
    const first = listening();
    await first.opens();
    await happen();
    await first.receives(1);
    const second = listening();
    expect(await first.ended).toMatchObject({ code: 'CANCELLED', message: expect.stringContaining('Another program') });
    const id = await happen();
    await second.receives(1);
    expect([first.received.length, second.ids()]).toEqual([1, [id]]);
    await second.stop();
  });

  test('an event sent again on request, without a workflow', async () => {
    const program = listening();
    await program.opens();
    const eventId = await happen();
    await program.receives(1);
    const { id } = program.received[0]!;
    const again = await (await send('POST', `/v1/webhook-deliveries/${id}/redeliver`)).json();
    expect(again).toMatchObject({ eventId, redeliveryOf: id, status: 'PENDING' });
    await program.receives(2);
    expect(program.received[1]).toMatchObject({ id: again.id, event: { id: eventId } });
    expect(gateway.temporal.starts).toEqual([]);
    await program.stop();
  });

  test('the stored events since a time, in order, and skips older ones that wait', async () => {
    const { id } = await open();
    const [, second] = [await happen(), await happen(), await happen()];
    const at = (await log(id)).find((each) => each.eventId === second)!.createdAt;
    await gateway.database.orm
      .update(deliveries)
      .set({ createdAt: sql`${deliveries.createdAt} - interval '1 hour'` })
      .where(sql`${deliveries.createdAt} < ${at}::timestamptz and ${deliveries.endpointId} = ${id}`);
    const first = listening();
    await first.receives(3);
    await first.stop();
    const waits = await happen();
    const program = listening({ since: at });
    await program.receives(3);
    await program.stop();
    expect(program.ids()).toEqual([...first.ids().slice(1), waits]);
    const other = listening({ name: 'other', since: at, events: ['upload.status_update'] });
    await other.receives(3);
    await other.stop();
    expect(other.ids()).toEqual(program.ids());
  });
});

describe('an answer', () => {
  test('other than 2xx fails the delivery, which is not repeated by itself', async () => {
    const answers = [500, 302, 410, null];
    const program = listening({}, () => ({
      httpStatus: answers[program.received.length - 1]!,
      latencyMs: 7,
      answer: 'no\0',
    }));
    await program.opens();
    for (const _ of answers) await happen();
    await program.receives(answers.length);
    await program.stop();
    const { id } = program.opened[0]!;
    // Events of one millisecond have no order in the log.
    const logged = new Map((await log(id)).map(({ eventId, status, attempts }) => [eventId, [status, attempts]]));
    expect(program.ids().map((each) => logged.get(each))).toEqual(
      answers.map((httpStatus) => [
        'FAILED',
        [{ number: 1, at: expect.any(String), httpStatus, latencyMs: 7, answer: 'no\uFFFD', outcome: 'failed' }],
      ]),
    );
    expect(await listed()).toMatchObject([{ id, waiting: 0 }]);
  });

  test('of a receiver that throws is the error, and a second answer changes nothing', async () => {
    const program = listening({}, () => {
      throw new Error('not today');
    });
    await program.opens();
    await happen();
    await program.receives(1);
    await program.stop();
    const [listener, delivery] = [program.opened[0]!.id, program.received[0]!.id];
    const body = { deliveryId: delivery, httpStatus: 200, latencyMs: 1 };
    expect((await send('POST', `${path}/${listener}/answers`, { body })).status).toBe(204);
    expect(await log(listener)).toMatchObject([
      { status: 'FAILED', attempts: [{ httpStatus: null, answer: 'Error: not today' }] },
    ]);
  });

  test('makes place for the next of ten deliveries under way', async () => {
    const { id } = await open();
    for (let i = 0; i < 12; i += 1) await happen();
    const abort = new AbortController();
    const response = await gateway.fetch(`${path}/${id}/deliveries`, { signal: abort.signal });
    const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let text = '';
    const ids = (): string[] => [...text.matchAll(/"id":"(dlv_\w+)"/g)].map(([, each]) => each!);
    const read = async (count: number): Promise<void> => {
      while (ids().length < count) text += (await chunks.next()).value;
    };
    await read(10);
    const body = { deliveryId: ids()[4]!, httpStatus: 200, latencyMs: 1 };
    expect(ids()).toHaveLength(10);
    await send('POST', `${path}/${id}/answers`, { body });
    await read(11);
    expect(new Set(ids()).size).toBe(11);
    abort.abort();
  });
});

/** Records events in one transaction. @returns their ids */
async function sameMoment(count: number): Promise<string[]> {
  const created = new Date().toISOString();
  return gateway.database.orm.transaction(async (tx) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const id = newId('evt', Date.now());
      ids.push(id);
      const event = { id, event: 'upload.deleted', data: {}, created } as const;
      await createEventRecorder(tx, () => Date.parse(created)).recordEvent(gateway.account.id, event, null);
    }
    return ids;
  });
}
