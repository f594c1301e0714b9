import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { keepReconciled } from '../../../src/api/reconcile/keep-reconciled.ts';
import { createLossWatch } from '../../../src/api/reconcile/loss-watch.ts';
import { reconcile } from '../../../src/api/reconcile/reconcile.ts';
import type { ReconcileDeps } from '../../../src/api/reconcile/reconcile-deps.ts';
import { createSuspects } from '../../../src/api/reconcile/suspects.ts';
import { createLeases, type Leases } from '../../../src/database/leases.ts';
import { leases as table } from '../../../src/database/schema/upload-starts.ts';
import { DATABASES, type TestDatabase } from '../../database/databases.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';

const TICK_MS = 10;
const LEASE_MS = 25_000;
const HOUR_MS = 3_600_000;
const OLD_UPLOAD = {
  ...{ id: 'upl_old', accountId: 'acc_1', revision: 1, status: 'UPLOAD_FINISHED', subStatus: null, hasOpen: false },
  createdAt: '2026-01-01T00:00:00.000Z',
};

let db: TestDatabase;
let nowMs = Date.parse('2026-01-02T00:00:00.000Z');
const now = (): number => nowMs;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  db = await DATABASES[1]![1]();
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await db.database.orm.delete(table);
});
afterAll(() => db.close());

test('a sweep reads each interval of ids once, and finds workflows without a record between and after them', async () => {
  const queries: string[] = [];
  const found: string[][] = [];
  const rows = Array.from({ length: 450 }, (_, n) => ({ ...OLD_UPLOAD, id: `upl_${String(n).padStart(4, '0')}` }));
  const workflow = (id: string) => ({
    workflowId: `upload/${id}`,
    startTime: new Date(OLD_UPLOAD.createdAt),
    typedSearchAttributes: { get: ({ name }: { name: string }) => (name === 'BurnishStatus' ? OLD_UPLOAD.status : []) },
  });
  const running = [...rows.map(({ id }) => id), 'upl_0199a', 'upl_9'].sort().map(workflow);
  const deps = {
    reconciliation: {
      openUploads: async (afterId: string, limit: number) => rows.filter(({ id }) => id > afterId).slice(0, limit),
      unknownEnhancements: async () => [],
      withoutUse: async (ids: string[]) => (found.push([...ids]), []),
    },
    client: {
      workflow: {
        async *list({ query }: { query: string }) {
          queries.push(query);
          const [, after, end, last] = /> '(\S+)' AND WorkflowId (<=?) '(\S+)'/.exec(query) as unknown as string[];
          const isBefore = (id: string): boolean => id < last! || (end === '<=' && id === last);
          yield* running.filter(({ workflowId: id }) => id > after! && isBefore(id));
        },
      },
    },
    log: { warn: () => undefined },
    now,
  };
  await reconcile(deps as unknown as ReconcileDeps, new AbortController().signal);
  expect(queries).toHaveLength(4);
  expect(found.flat()).toEqual(['upl_0199a', 'upl_9']);
});

/** A gateway that keeps records and workflows together; leases are real, and what it compares is counted. */
function startGateway() {
  const real = createLeases(db.database, now);
  const gateway = {
    /** How often it asked for the lease */
    asked: 0,
    /** How often it compared all records with their workflows */
    sweeps: 0,
    /** How many workflows it looked at */
    looks: 0,
    /** How often it let all deliveries be looked at again */
    leasesEnded: 0,
    /** How often it moved the checkpoint in storage */
    checkpoints: 0,
    warnings: [] as string[],
    /** What a sweep finds */
    openUploads: async (): Promise<(typeof OLD_UPLOAD)[]> => [],
    /** Ids of uploads whose workflows run */
    running: [] as string[],
    take: real.take,
    stop: (): Promise<void> => Promise.resolve(),
    mayBeBehind: (_createdAt: string): boolean => false,
  };
  const deps = {
    leases: {
      async take(...args: Parameters<typeof real.take>) {
        const taken = await gateway.take(...args);
        gateway.asked += 1;
        return taken;
      },
      release: real.release,
      isOlder: real.isOlder,
    },
    suspects: createSuspects(),
    uploadStarts: { refusedBefore: async () => [] },
    deletion: { open: async () => [] },
    batches: { listOpen: async () => [] },
    deliveries: { overdue: async () => [], endLeases: async () => void (gateway.leasesEnded += 1) },
    hosted: null,
    reconciliation: {
      async openUploads(afterId: string) {
        if (afterId !== '') return [];
        gateway.sweeps += 1;
        return gateway.openUploads();
      },
      unknownEnhancements: async () => [],
      withoutUse: async () => [],
      deletedSince: async () => [],
      still: async () => [],
    },
    storage: {
      get: async () => Readable.from(['']),
      put: async () => void (gateway.checkpoints += 1),
    },
    uploads: { find: async () => OLD_UPLOAD },
    enhancements: { listForUpload: async () => [] },
    client: {
      withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
      workflow: {
        async *list({ query }: { query: string }) {
          const typedSearchAttributes = { get: () => undefined };
          if (query.startsWith('WorkflowId >'))
            for (const id of gateway.running)
              yield { workflowId: `upload/${id}`, startTime: new Date(nowMs), typedSearchAttributes };
        },
        getHandle: (workflowId: string) => ({
          async describe() {
            if (workflowId.startsWith('upload/')) gateway.looks += 1;
            return { status: { name: 'RUNNING' }, raw: {}, typedSearchAttributes: { get: () => undefined } };
          },
          query: async ({ name }: { name: string }) => (name === 'uploadState' ? OLD_UPLOAD : []),
        }),
      },
    },
    log: { info: () => undefined, warn: (_: unknown, message: string) => void gateway.warnings.push(message) },
    now,
  };
  ({ stop: gateway.stop, mayBeBehind: gateway.mayBeBehind } = keepReconciled(
    deps as unknown as ReconcileDeps,
    TICK_MS,
  ));
  stops.push(gateway.stop);
  return gateway;
}
type Gateway = ReturnType<typeof startGateway>;

const sweeps = (gateway: Gateway, count: number): Promise<void> => poll(() => gateway.sweeps).toBe(count);

/** Once it has asked for the lease a few more times, and so had a few more occasions to sweep. */
async function goesOn(gateway: Gateway): Promise<void> {
  const before = gateway.asked;
  await poll(() => gateway.asked).toBeGreaterThanOrEqual(before + 3);
}

/** Another process has the lease, as after a pause of the gateway in which the lease expired. */
async function takeOver(): Promise<Leases> {
  const others = createLeases(db.database, now);
  const take = (): Promise<boolean> => {
    // In one breath with the question, so that the gateway cannot renew in between.
    nowMs += LEASE_MS;
    return others.take('reconcile', 'another', LEASE_MS);
  };
  await poll(take).toBe(true);
  return others;
}

test('of two gateways one reconciles, and continues while it renews its lease', async () => {
  const first = startGateway();
  await sweeps(first, 1);
  const second = startGateway();
  for (let renewals = 0; renewals < 5; renewals += 1) {
    nowMs += LEASE_MS - 1_000;
    await goesOn(first);
  }
  await goesOn(second);
  expect([first.sweeps, second.sweeps]).toEqual([1, 0]);
  expect([first.checkpoints, second.checkpoints, first.warnings]).toEqual([1, 0, []]);
});

test('a gateway reconciles soon after its start, and then every hour', async () => {
  const gateway = startGateway();
  await sweeps(gateway, 1);
  nowMs += HOUR_MS - 1;
  await goesOn(gateway);
  expect(gateway.sweeps).toBe(1);
  nowMs += 1;
  await sweeps(gateway, 2);
});

test.each([
  ['an older renewal of the lease', (expiresAt: string) => db.database.orm.update(table).set({ expiresAt })],
  ['no lease any more', () => db.database.orm.delete(table)],
])('a database with %s lets the gateway compare all records again', async (_, goBack) => {
  const gateway = startGateway();
  await sweeps(gateway, 1);
  nowMs += 60_000;
  await goesOn(gateway);
  expect([gateway.sweeps, gateway.leasesEnded]).toEqual([1, 0]);
  // A renewal in the same moment would hide it.
  const loseAndGoOn = async (): Promise<number> => {
    await goBack(new Date(nowMs + LEASE_MS - 10_000).toISOString());
    await goesOn(gateway);
    return Math.min(gateway.sweeps, 2) + Math.min(gateway.leasesEnded, 1);
  };
  await poll(loseAndGoOn, { timeout: 30_000 }).toBe(3);
  await poll(() => gateway.mayBeBehind(OLD_UPLOAD.createdAt)).toBe(false);
});

test.each<[string, boolean[], boolean]>([
  ['never responds', [false, false], false],
  ['always responds', [true, true], false],
  ['responds again', [true, false, true], true],
])('Temporal that %s', async (what, answers, mayHaveHappened) => {
  const client = {
    withDeadline: (_ms: number, ask: () => Promise<unknown>) => ask(),
    workflow: {
      getHandle: () => ({
        describe: async () => {
          throw answers.shift() ? new WorkflowNotFoundError('', '', '') : new Error('UNAVAILABLE');
        },
      }),
    },
  };
  const watch = createLossWatch({ client, leases: {}, now } as never, { lease: 'a', holder: 'b' });
  while (answers.length > 0) await watch.lookAtTemporal();
  expect(watch.mayHaveHappened()).toBe(mayHaveHappened);
  const isAway = what === 'never responds';
  const isBehind = (): boolean => watch.mayBeBehind(OLD_UPLOAD.createdAt);
  expect(isBehind()).toBe(isAway || mayHaveHappened);
  watch.forget();
  expect(isBehind()).toBe(isAway || mayHaveHappened);
  // Work that began after it lacks nothing.
  expect(watch.mayBeBehind(new Date(nowMs + 1).toISOString())).toBe(isAway);
  // The gateway with the lease has compared meanwhile.
  nowMs += 120_000;
  expect(isBehind()).toBe(isAway);
  expect(watch.mayHaveHappened()).toBe(false);
});

test('a start of the last seconds without a workflow is compared half a minute later', async () => {
  const gateway = startGateway();
  const createdAt = new Date(nowMs - 5_000).toISOString();
  const young = (id: string) => ({ ...OLD_UPLOAD, id, revision: 0, status: 'UPLOAD_PENDING', createdAt });
  gateway.openUploads = async () => [young('upl_lost'), young('upl_runs')];
  gateway.running = ['upl_runs'];
  await sweeps(gateway, 1);
  nowMs += 25_000 - 1;
  await goesOn(gateway);
  expect(gateway.looks).toBe(0);
  nowMs += 2;
  await poll(() => gateway.looks).toBe(1);
  await goesOn(gateway);
  expect([gateway.looks, gateway.sweeps]).toEqual([1, 1]);
});

test('a workflow of the last seconds without a record is compared half a minute later', async () => {
  const gateway = startGateway();
  gateway.running = ['upl_unrecorded'];
  await sweeps(gateway, 1);
  await goesOn(gateway);
  expect(gateway.looks).toBe(0);
  nowMs += 30_000;
  await poll(() => gateway.looks).toBeGreaterThan(0);
  expect(gateway.sweeps).toBe(1);
});

test('the lease of a killed gateway passes to another after it expires', async () => {
  await createLeases(db.database, now).take('reconcile', 'killed', LEASE_MS);
  const gateway = startGateway();
  nowMs += LEASE_MS - 1;
  await goesOn(gateway);
  expect(gateway.sweeps).toBe(0);
  nowMs += 1;
  await sweeps(gateway, 1);
});

test.each([
  ['a day ahead is void', 24 * HOUR_MS, 1],
  ['almost a term ahead holds', LEASE_MS - 1, 0],
])('the lease of a gateway that died with its clock %s', async (_, aheadMs, expected) => {
  const ahead = createLeases(db.database, () => nowMs + aheadMs);
  expect(await ahead.take('reconcile', 'killed', LEASE_MS)).toBe(true);
  const gateway = startGateway();
  await goesOn(gateway);
  await sweeps(gateway, expected);
});

test('a stopping gateway releases its lease, and the other one reconciles at once', async () => {
  const first = startGateway();
  await sweeps(first, 1);
  const second = startGateway();
  await goesOn(second);
  await first.stop();
  await sweeps(second, 1);
});

test('a gateway that stops while it requests the lease does not keep it', async () => {
  const answer = createGate();
  const first = startGateway();
  const { take } = first;
  const asking = createGate();
  first.take = async (...args) => {
    asking.open();
    await answer.opened;
    return take(...args);
  };
  await asking.opened;
  const stopped = first.stop();
  await new Promise((resolve) => setTimeout(resolve, 5 * TICK_MS));
  answer.open();
  await stopped;
  const second = startGateway();
  await sweeps(second, 1);
  expect(first.sweeps).toBe(0);
});

test('a failed round is logged and repeated', async () => {
  const gateway = startGateway();
  let failures = 2;
  gateway.openUploads = async () => {
    if ((failures -= 1) >= 0) throw new Error('the database is away');
    return [OLD_UPLOAD];
  };
  await poll(() => gateway.looks).toBe(1);
  await goesOn(gateway);
  expect([gateway.sweeps, gateway.looks]).toEqual([3, 1]);
  expect(gateway.warnings).toEqual(Array(2).fill('records and workflows could not be compared'));
});

test('a gateway that could not request the lease for a while reconciles afterwards', async () => {
  const gateway = startGateway();
  const { take } = gateway;
  let failures = 2;
  gateway.take = async (...args) => {
    if ((failures -= 1) >= 0) throw new Error('the database is away');
    return take(...args);
  };
  await sweeps(gateway, 1);
  expect(gateway.warnings).toEqual(Array(2).fill('the lease could not be taken'));
});

test('a gateway that loses its lease aborts its round, and starts a new one with the next lease', async () => {
  const slow = createGate();
  const gateway = startGateway();
  gateway.openUploads = async () => {
    await slow.opened;
    return [OLD_UPLOAD];
  };
  await sweeps(gateway, 1);
  const others = await takeOver();
  await goesOn(gateway);
  slow.open();
  await goesOn(gateway);
  expect([gateway.sweeps, gateway.looks]).toEqual([1, 0]);
  await others.release('reconcile', 'another');
  await poll(() => gateway.looks).toBe(1);
  expect([gateway.sweeps, gateway.warnings]).toEqual([2, []]);
});

test('a gateway that regains its lease reconciles at once', async () => {
  const gateway = startGateway();
  await sweeps(gateway, 1);
  const others = await takeOver();
  await goesOn(gateway);
  await others.release('reconcile', 'another');
  await sweeps(gateway, 2);
});

test('a stopping gateway aborts its round and waits for its end', async () => {
  const slow = createGate();
  const gateway = startGateway();
  gateway.openUploads = async () => {
    await slow.opened;
    return [OLD_UPLOAD];
  };
  await sweeps(gateway, 1);
  let hasStopped = false;
  const stopped = gateway.stop().then(() => (hasStopped = true));
  await new Promise((resolve) => setTimeout(resolve, 5 * TICK_MS));
  expect(hasStopped).toBe(false);
  slow.open();
  await stopped;
  expect([gateway.looks, gateway.warnings]).toEqual([0, []]);
});
