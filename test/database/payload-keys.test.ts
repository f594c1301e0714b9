import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPayloadKeys } from '../../src/database/payload-keys.ts';
import { notePayloadKeyUse } from '../../src/runtime/payload-key-use.ts';
import { createKeyRing, newKey } from '../../src/secrets/key-ring.ts';
import { DATABASES, type TestDatabase } from './databases.ts';

const [old, present] = [newKey(), newKey()] as const;
const idOf = (key: Buffer): string => createKeyRing([key]).keyIds[0];
const ROTATED_AT = Date.parse('2026-11-01T12:00:00.000Z');

describe.each(DATABASES)('the keys of payloads in %s', (_name, open) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  /** A start with keys at a time, and the queries that it sends to Temporal, which knows this number of workflows. */
  async function start(keys: readonly [Buffer, ...Buffer[]], atMs: number, running = 0): Promise<string[]> {
    const queries: string[] = [];
    const end = await notePayloadKeyUse({
      keyRing: createKeyRing(keys),
      payloadKeys: createPayloadKeys(opened.database, () => atMs),
      count: (query) => {
        queries.push(query);
        return Promise.resolve({ count: running });
      },
      log: { warn: () => undefined },
    });
    await end();
    return queries;
  }

  test('are noted by each start, which asks Temporal about a removed key alone', async () => {
    expect(await start([old], ROTATED_AT - 86_400_000)).toEqual([]);
    expect(await start([old, present], ROTATED_AT)).toEqual([]);
    expect(await start([present, old], ROTATED_AT + 1_000)).toEqual([]);
    expect(await start([present, old], ROTATED_AT + 86_400_000)).toEqual([]);
  });

  test('end a start that lacks one while a workflow from its time runs, and are then forgotten', async () => {
    await expect(start([present], ROTATED_AT + 90_000_000, 3)).rejects.toThrow(
      new RegExp(`^3 workflows need the encryption key ${idOf(old)}, which this process does not have. Add this key`),
    );
    const queries = await start([present], ROTATED_AT + 90_000_000);
    // An hour after its last use, when a process notes its use again.
    expect(queries).toEqual([expect.stringContaining("StartTime <= '2026-11-01T13:00:00.000Z'")]);
    expect(await start([present], ROTATED_AT + 90_000_000, 3)).toEqual([]);
  });
});
