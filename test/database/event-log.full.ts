import { expect, test } from '@jest/globals';
import { createEventLog } from '../../src/database/webhooks/event-log.ts';
import { createEventRecorder } from '../../src/database/webhooks/event-recorder.ts';
import { openDatabase } from '../../src/database/open.ts';
import { startPostgres } from '../support/postgres.ts';
import { useForFile } from '../support/use-for.ts';
import { addAccount, AT, newId } from './records.ts';

// The embedded database runs one transaction at a time.
const postgres = useForFile(() => startPostgres());
const anEvent = () => ({ id: newId('evt'), event: 'upload.deleted' as const, data: {}, created: AT });

test('a reader behind a later event receives the earlier one whose transaction ends after it', async () => {
  const database = await openDatabase({ url: postgres.url, dataDir: '' });
  try {
    const account = await addAccount(database);
    const log = createEventLog(database);
    const [early, later] = [anEvent(), anEvent()];
    let position = await log.end(account);
    await database.orm.transaction(async (tx) => {
      await createEventRecorder(tx, Date.now).recordEvent(account, early, null);
      await createEventRecorder(database.orm, Date.now).recordEvent(account, later, null);
      const seen = await log.read(account, position);
      expect(seen.map(({ id }) => id)).toEqual([later.id]);
      position = seen[0]!.position;
    });
    expect((await log.read(account, position)).map(({ id }) => id)).toEqual([early.id]);
  } finally {
    await database.close();
  }
});

test('readers at once give each event one position, and miss none', async () => {
  const database = await openDatabase({ url: postgres.url, dataDir: '' });
  try {
    const account = await addAccount(database);
    const log = createEventLog(database);
    const recorder = createEventRecorder(database.orm, Date.now);
    const written: string[] = [];
    const write = async (): Promise<void> => {
      const event = anEvent();
      await recorder.recordEvent(account, event, null);
      written.push(event.id);
    };
    const follow = async (): Promise<string[]> => {
      const ids: string[] = [];
      for (let position = 0; ids.length < 60;) {
        const page = await log.read(account, position);
        ids.push(...page.map(({ id }) => id));
        position = page.at(-1)?.position ?? position;
      }
      return ids;
    };
    const readers = [follow(), follow(), follow()];
    await Promise.all(Array.from({ length: 60 }, write));
    const [first, ...others] = await Promise.all(readers);
    expect(first!.toSorted()).toEqual(written.toSorted());
    for (const ids of others) expect(ids).toEqual(first);
  } finally {
    await database.close();
  }
});
