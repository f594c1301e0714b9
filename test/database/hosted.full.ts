import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { createHostedEvents } from '../../src/database/hosted/hosted-events.ts';
import { createHostedIds } from '../../src/database/hosted/hosted-ids.ts';
import { createHostedSlots } from '../../src/database/hosted/hosted-slots.ts';
import { createHostedRetention } from '../../src/database/hosted/hosted-retention.ts';
import {
  hostedEvents,
  hostedIds,
  hostedSlots,
  hostedRetentions,
  hostedSettings,
} from '../../src/database/schema/hosted.ts';
import { enhancements } from '../../src/database/schema/enhancements.ts';
import { uploads } from '../../src/database/schema/uploads.ts';
import { addAccount, anEnhancement, anUpload } from './records.ts';
import { DATABASES, type TestDatabase } from './databases.ts';

const MINUTE_MS = 60_000;

describe.each(DATABASES)('records of the hosted service on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const now = (): number => clock.ms;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of [hostedIds, hostedEvents, hostedSlots, hostedRetentions, hostedSettings]) {
      await database.orm.delete(table);
    }
  });

  describe('remote ids', () => {
    const upload = { kind: 'upload', subjectId: 'upl_a', accountId: 'acc_a', via: 'stream' } as const;

    test('map to our ids, and to all of our ids', async () => {
      const ids = createHostedIds(database, now);
      expect(await ids.bind({ ...upload, remoteId: 'r1', transferred: false })).toBe(true);
      clock.ms += 1;
      expect(await ids.bind({ ...upload, remoteId: 'r2', transferred: true })).toBe(true);
      expect(await ids.find('upload', 'r1')).toMatchObject({
        subjectId: 'upl_a',
        accountId: 'acc_a',
        transferredAt: null,
      });
      expect((await ids.of('upload', 'upl_a')).map(({ remoteId }) => remoteId)).toEqual(['r2', 'r1']);
      await ids.markTransferred('r1');
      expect((await ids.find('upload', 'r1'))?.transferredAt).not.toBeNull();
      await ids.forgetUpload('r1');
      expect(await ids.find('upload', 'r1')).toBeUndefined();
      expect(await ids.find('enhancement', 'r2')).toBeUndefined();
    });

    test('belong to one of our ids for good; binding again changes nothing', async () => {
      const ids = createHostedIds(database, now);
      const bindings = ['enh_a', 'enh_b', 'enh_c'].map((subjectId) =>
        ids.bind({ kind: 'enhancement', remoteId: 'r', subjectId, accountId: 'acc_a', via: null, transferred: true }),
      );
      const bound = await Promise.all(bindings);
      expect(bound.filter(Boolean)).toHaveLength(1);
      const owner = ['enh_a', 'enh_b', 'enh_c'][bound.indexOf(true)]!;
      const again = { kind: 'enhancement', remoteId: 'r', accountId: 'acc_a', via: null, transferred: true } as const;
      expect(await ids.bind({ ...again, subjectId: owner })).toBe(true);
      expect(await ids.bind({ ...again, subjectId: 'enh_d' })).toBe(false);
    });
  });

  describe('events', () => {
    const event = (id: string, remoteId: string | null, remoteUploadId: string | null = null) => ({
      id,
      event: 'enhanced_image.status_update',
      remoteId,
      remoteUploadId,
    });

    test('count once, until they are dropped', async () => {
      const events = createHostedEvents(database, now);
      const kept = await Promise.all([1, 2, 3].map(() => events.keep(event('e', 'r'))));
      expect(kept.filter(Boolean)).toHaveLength(1);
      expect(await events.keep(event('e', 'r'))).toBe(false);
      await events.drop('e');
      expect(await events.keep(event('e', 'r'))).toBe(true);
    });

    test('can concern enhancements without a record', async () => {
      const events = createHostedEvents(database, now);
      const ids = createHostedIds(database, now);
      await events.keep(event('e0', 'old', 'up'));
      clock.ms += MINUTE_MS;
      const since = clock.ms;
      for (const [index, args] of (
        [
          ['bound', 'up'],
          ['mine', 'up'],
          ['mine', 'up'],
          ['of-another-upload', 'other'],
          ['silent', null],
          [null, 'up'],
        ] as const
      ).entries()) {
        clock.ms += 1;
        await events.keep(event(`e${index + 1}`, args[0], args[1]));
      }
      await events.keep({ ...event('u', 'an-upload'), event: 'upload.status_update' });
      const bound = { kind: 'enhancement', remoteId: 'bound', subjectId: 'enh', accountId: 'acc' } as const;
      await ids.bind({ ...bound, via: null, transferred: true });
      expect(await events.unboundEnhancements('up', since)).toEqual([
        { remoteId: 'mine', saysUpload: true },
        { remoteId: 'silent', saysUpload: false },
      ]);
    });

    test('are deleted after a day', async () => {
      const events = createHostedEvents(database, now);
      await events.keep(event('old', 'r'));
      clock.ms += 23 * 60 * MINUTE_MS;
      await events.keep(event('young', 'r'));
      expect(await events.purge()).toBe(0);
      clock.ms += 2 * 60 * MINUTE_MS;
      expect(await events.purge()).toBe(1);
      expect(await events.keep(event('young', 'r'))).toBe(false);
    });
  });

  describe('slots', () => {
    test('are never more than configured, also under parallel requests', async () => {
      const slots = createHostedSlots(database, now);
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_, index) => slots.claim('acc_a', `enh_${index}`, 5)),
      );
      expect(asked.filter(Boolean)).toHaveLength(5);
      const again = await Promise.all(
        Array.from({ length: 12 }, (_, index) => slots.claim('acc_a', `enh_${index}`, 5)),
      );
      expect(again).toEqual(asked);
    });

    test('are granted to the account with the fewest, and within it in the order of requests', async () => {
      const slots = createHostedSlots(database, now);
      for (const id of ['a1', 'a2']) expect(await slots.claim('a', id, 2)).toBe(true);
      for (const id of ['a3', 'a4', 'a5']) expect(await slots.claim('a', id, 2)).toBe(false);
      expect(await slots.claim('b', 'b1', 2)).toBe(false);
      expect(await slots.claim('b', 'b2', 2)).toBe(false);
      expect(await slots.claim('c', 'c1', 2)).toBe(false);
      const order: string[] = [];
      for (let next = await slots.release('a1', 2); next !== null; next = await slots.release(next, 2))
        order.push(next);
      // One of the two slots is a's all the time, so its others come behind everybody else's.
      expect(order).toEqual(['b1', 'b2', 'c1', 'a3', 'a4', 'a5']);
      expect(await slots.release('nobody', 2)).toBeNull();
    });

    test('that were granted during an absence are returned by the next claim', async () => {
      const slots = createHostedSlots(database, now);
      await slots.claim('a', 'a1', 1);
      await slots.claim('b', 'b1', 1);
      expect(await slots.release('a1', 1)).toBe('b1');
      expect(await slots.claim('b', 'b1', 1)).toBe(true);
      expect(await slots.claim('c', 'c1', 1)).toBe(false);
    });

    test('expire without renewal, and pass to the next in the queue only', async () => {
      const slots = createHostedSlots(database, now);
      await slots.claim('a', 'a1', 2);
      await slots.claim('a', 'a2', 2);
      clock.ms += 19 * MINUTE_MS;
      await slots.renew('a2');
      for (const id of ['b1', 'b2']) expect(await slots.claim('b', id, 2)).toBe(false);
      clock.ms += 2 * MINUTE_MS;
      expect(await slots.claim('b', 'b2', 2)).toBe(false);
      expect(await slots.claim('b', 'b1', 2)).toBe(true);
      expect(await slots.claim('a', 'a2', 2)).toBe(true);
    });

    test('of ended enhancements are returned, and pass to those that wait', async () => {
      const slots = createHostedSlots(database, now);
      const { orm } = database;
      const upload = anUpload(await addAccount(database));
      await orm.insert(uploads).values({ ...upload, webhookUrl: null });
      const add = (id: string, status: 'QUEUED' | 'ERROR') =>
        orm.insert(enhancements).values(anEnhancement(upload, { id, status }));
      for (const id of ['enh_open', 'enh_next']) await add(id, 'QUEUED');
      await add('enh_ended', 'ERROR');
      for (const id of ['enh_open', 'enh_ended', 'enh_unknown', 'enh_next']) await slots.claim(upload.accountId, id, 3);
      const before = (ms: number): string => new Date(clock.ms + ms).toISOString();
      expect(await slots.returnOrphans(3, before(0))).toBeUndefined();
      expect(await slots.returnOrphans(3, before(1))).toEqual(['enh_next']);
      expect(await slots.returnOrphans(3, before(1))).toBeUndefined();
      expect(await slots.claim(upload.accountId, 'enh_next', 3)).toBe(true);
      expect(await orm.select({ id: hostedSlots.enhancementId }).from(hostedSlots)).toHaveLength(2);
    });

    test('that are released twice free one', async () => {
      const slots = createHostedSlots(database, now);
      for (const id of ['a1', 'a2']) await slots.claim('a', id, 2);
      for (const id of ['b1', 'b2']) await slots.claim('b', id, 2);
      expect(await slots.release('a1', 2)).toBe('b1');
      expect(await slots.release('a1', 2)).toBeNull();
    });
  });

  describe('retention', () => {
    test('is shared by uploads with the same value, and taken in turns by others', async () => {
      const retention = createHostedRetention(database, now);
      expect(await retention.claim('a', 30)).toBe(true);
      expect(await retention.claim('b', 30)).toBe(true);
      expect(await retention.claim('c', 7)).toBe(false);
      // Who comes behind waits too, or `c` would never have its turn.
      expect(await retention.claim('d', 30)).toBe(false);
      await retention.release('a');
      expect(await retention.claim('c', 7)).toBe(false);
      await retention.release('b');
      expect(await retention.claim('c', 7)).toBe(true);
      expect(await retention.claim('d', 30)).toBe(false);
      await retention.release('c');
      expect(await retention.claim('d', 30)).toBe(true);
    });

    test('is free after the claims of ended processes expire', async () => {
      const retention = createHostedRetention(database, now);
      await retention.claim('dead', 30);
      expect(await retention.claim('c', 7)).toBe(false);
      clock.ms += MINUTE_MS / 2;
      expect(await retention.claim('c', 7)).toBe(false);
      clock.ms += 1;
      expect(await retention.claim('c', 7)).toBe(true);
    });

    test('is known for an hour after it was set', async () => {
      const retention = createHostedRetention(database, now);
      expect(await retention.lastSet()).toBeUndefined();
      await retention.noteSet(30);
      await retention.noteSet(7);
      expect(await retention.lastSet()).toBe(7);
      clock.ms += 61 * MINUTE_MS;
      expect(await retention.lastSet()).toBeUndefined();
      await retention.noteSet(7);
      await retention.noteUnknown();
      expect(await retention.lastSet()).toBeUndefined();
    });
  });
});
