import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { openDatabase } from '../../src/database/open.ts';
import { lockAccount } from '../../src/database/credits/credit-movements.ts';
import { accounts } from '../../src/database/schema/accounts.ts';
import { CLAIMS } from '../../src/domain/claims.ts';
import { ATTEMPTS_AT_ONCE } from '../../src/domain/events/delivery.ts';
import { startCluster } from '../cluster/cluster.ts';
import type { UploadRecord } from '../e2e/api.ts';
import { freePorts, startInstance } from '../e2e/instance.ts';
import { commandLine, processTree } from '../e2e/processes.ts';
import { startFarSide, startNearSide } from '../hosted/second-instance.ts';
import { createGate } from '../support/gate.ts';
import { startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  holdingPhotos,
  holdingServer,
  limitJobs,
  removeFiles,
  removeWorkflows,
  send,
  startLosing,
} from './claims/lost-owners.ts';

/*
 * Each claim that a sweep or an expiry ends is filled, its owner is removed, and work that the claim holds up goes on. A wait is a
 * few times as long as the table allows, since a machine may be busy.
 */

type Name = keyof typeof CLAIMS;
/** Claims that go with the memory or the row of their owner have no loss to show. */
type Ending = { [Each in Name]: (typeof CLAIMS)[Each]['endedBy'] extends 'owner' ? never : Each }[Name];

/** Fills a claim and removes its owner, then calls `back` with the work that the claim holds up. */
type Drill = (back: (work: () => Promise<unknown>) => Promise<void>) => Promise<void>;

const LIMIT_MS = 600_000;
const JOBS = 3;
const X2 = [{ upscalingFactor: 'X2' }];
const LOCAL = { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1', BURNISH_PLAN: 'BUSINESS' };

const DRILLS: Record<Ending, Drill> = {
  'begun webhook delivery': async (back) => {
    await using receiver = await holdingServer();
    await using losing = await startLosing(LOCAL);
    const body = { url: `${receiver.url}/hook`, events: ['enhanced_image.status_update'] };
    expect((await losing.instance.api.call('POST', '/v1/webhooks', { body })).status).toBe(201);
    const sent: UploadRecord[] = [];
    for (let number = 0; number < ATTEMPTS_AT_ONCE.ofReceiver + 4; number += 1) sent.push(await send(losing.instance));
    await until(() => receiver.held >= ATTEMPTS_AT_ONCE.ofReceiver || undefined);
    await losing.loseWorkflows();
    receiver.beHealthy();
    await losing.startAgain();
    await back(async () => {
      sent.push(await send(losing.instance));
      await until(() => sent.every(({ id }) => receiver.answered.some((text) => text.includes(id))) || undefined);
    });
  },

  'slot at the hosted service': async (back) => {
    await using far = await startFarSide();
    await using near = await startNearSide(far, { BURNISH_HOSTED_PARALLEL: '1' });
    far.proxy.always('CreateEnhancedImage', { kind: 'status', status: 500 });
    const holder = await send(near.instance);
    await until(() => far.proxy.calls.some(({ operation }) => operation === 'CreateEnhancedImage') || undefined);
    const waiting = await send(near.instance);
    await near.instance.killTree();
    await removeWorkflows(near.instance);
    // The enhancement then ends by its record alone.
    await removeFiles(near.instance, holder.id);
    far.proxy.clear();
    await near.killAndRestart();
    const { api } = near.instance;
    expect((await api.settled(holder.id)).enhancements[0]).toMatchObject({ errorCode: 'ORIGINAL_MISSING' });
    await back(async () => {
      for (const { id } of [waiting, await send(near.instance)])
        expect((await api.settled(id)).enhancements[0]).toMatchObject({ status: 'FINISHED' });
    });
  },

  'running batch item': async (back) => {
    await using photos = await holdingPhotos();
    await using losing = await startLosing(LOCAL);
    const { api } = losing.instance;
    const made = await api.call<{ id: string }>('POST', '/v1/batches', { body: { samples: 0, enhancements: [{}] } });
    const { id } = made.body;
    const items = Array.from({ length: 60 }, (_, number) => JSON.stringify({ url: `${photos.url}/${number}.jpg` }));
    const headers = { 'content-type': 'application/x-ndjson' };
    const bytes = new TextEncoder().encode(items.join('\n'));
    expect((await api.call('POST', `/v1/batches/${id}/items`, { body: bytes, headers })).status).toBe(200);
    expect((await api.call('POST', `/v1/batches/${id}/close`)).status).toBe(202);
    interface Batch {
      status: string;
      counts: { running: number; pending: number; finished: number };
    }
    const read = async (): Promise<Batch> => (await losing.instance.api.get<Batch>(`/v1/batches/${id}`)).body;
    const { running } = (await until(read, ({ counts }) => counts.running > 0 && counts.running >= photos.held)).counts;
    expect(running).toBeLessThan(items.length);
    await until(() => photos.held > 0 || undefined);
    await losing.loseWorkflows();
    photos.beHealthy();
    await losing.startAgain();
    await back(() => until(read, ({ status, counts }) => status === 'FINISHED' && counts.finished === items.length));
  },

  'open upload or enhancement': async (back) => {
    await using photos = await holdingPhotos();
    await using losing = await startLosing(LOCAL);
    await limitJobs(losing.instance, JOBS);
    const order = (number: number) =>
      losing.instance.api.call<UploadRecord>('POST', '/v1/uploads', {
        body: { source: { url: `${photos.url}/${number}.jpg` }, enhancements: X2 },
      });
    const open = await Promise.all(Array.from({ length: JOBS }, (_, number) => order(number)));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 202));
    await until(() => photos.held >= JOBS || undefined);
    expect((await order(JOBS)).status).toBe(429);
    await losing.loseWorkflows();
    photos.beHealthy();
    await losing.startAgain();
    const { api } = losing.instance;
    await back(async () => {
      for (const { body } of open)
        expect((await api.settled(body.id)).enhancements[0]).toMatchObject({ status: 'FINISHED' });
      const next = await order(JOBS);
      expect(next.status).toBe(202);
      expect((await api.settled(next.body.id)).enhancements[0]).toMatchObject({ status: 'FINISHED' });
      expect(await api.credits()).toMatchObject({ reserved: 0 });
    });
  },

  'refused start': async (back) => {
    await using losing = await startLosing(LOCAL);
    await limitJobs(losing.instance, JOBS);
    const { instance } = losing;
    const server = processTree(instance.pid).filter((each) => commandLine(each).includes('server start-dev'));
    expect(server.length).toBeGreaterThan(0);
    for (const { pid } of server) process.kill(pid, 'SIGSTOP');
    const refused = await Promise.allSettled(Array.from({ length: JOBS }, () => send(instance)));
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 'rejected'));
    // The refusal is recorded after the answer.
    await pause(2_000);
    await losing.loseWorkflows();
    await losing.startAgain();
    const { api } = losing.instance;
    await back(async () => {
      const { id } = await until(() => send(losing.instance).catch(() => undefined), undefined, { pauseMs: 1_000 });
      await api.settled(id);
      const list = async () => (await api.get<{ items: UploadRecord[] }>('/v1/uploads')).body.items;
      await until(list, (items) => items.length === 1);
    });
  },

  'retention at the hosted service': async (back) => {
    await using far = await startFarSide();
    await using near = await startNearSide(far);
    const keepFor = async (days: number): Promise<void> => {
      const body = { uploadRetentionDays: days };
      expect((await near.instance.api.call('PATCH', '/v1/settings', { body })).status).toBe(200);
    };
    await keepFor(17);
    far.proxy.next('CreateSignedUploadUrl', { kind: 'slow', ms: 60_000 });
    const holder = await send(near.instance);
    await until(() => far.proxy.acted('CreateSignedUploadUrl')[0]);
    await near.instance.killTree();
    await removeWorkflows(near.instance);
    await removeFiles(near.instance, holder.id);
    await near.killAndRestart();
    await keepFor(23);
    await back(async () => {
      const { id } = await send(near.instance);
      expect((await near.instance.api.settled(id)).enhancements[0]).toMatchObject({ status: 'FINISHED' });
    });
  },

  'lock in the database': async (back) => {
    await using postgres = await startPostgres();
    await using folder = await temporaryFolder();
    await using instance = await startInstance({ env: { ...LOCAL, DATABASE_URL: postgres.url } });
    // The connection of a machine that is gone without a word: the server still has it.
    const gone = await openDatabase({ url: postgres.url, dataDir: folder.path });
    const { orm } = gone;
    const [locked, end] = [createGate(), createGate()];
    const [account] = await orm.select().from(accounts);
    const holding = orm.transaction(async (tx) => {
      await lockAccount(tx, account!.id);
      locked.open();
      await end.opened;
    });
    await locked.opened;
    const other = new Client({ connectionString: postgres.url });
    await other.connect();
    await expect(other.query('select 1 from accounts for no key update nowait')).rejects.toThrow(
      'could not obtain lock',
    );
    await other.end();
    const body = { samples: 0, enhancements: [{}] };
    const isMade = async () => (await instance.api.call('POST', '/v1/batches', { body })).status === 202 || undefined;
    await back(() => until(isMade, undefined, { pauseMs: 1_000 }));
    end.open();
    await expect(holding).rejects.toThrow();
    await gone.close();
  },

  'job of one gateway': async (back) => {
    await using cluster = await startCluster({ temporal: 'server' });
    const database = new Client({ connectionString: cluster.databaseUrl });
    const first = await cluster.startGateway();
    await database.connect();
    const holder = async (): Promise<string | undefined> => {
      const live = `select holder from leases where name = 'reconcile' and expires_at > now()`;
      return (await database.query<{ holder: string }>(live)).rows[0]?.holder;
    };
    const lost = await until(holder);
    await cluster.startGateway();
    await first.kill();
    await back(() => until(holder, (now) => now !== lost));
    await database.end();
  },

  'data folder': async (back) => {
    await using folder = await temporaryFolder();
    const ports = await freePorts();
    // A machine of another name, whose processes this one cannot look at.
    const via = ['unshare', '--uts', 'sh', '-c', 'hostname elsewhere; exec "$@"', 'sh'];
    const first = await startInstance({ dataDir: folder.path, ports, via });
    await first.killTree();
    await back(async () => {
      await using instance = await startInstance({ dataDir: folder.path, ports, apiKey: first.apiKey });
      const { id } = await send(instance);
      await instance.api.settled(id);
    });
  },
};

describe('a claim comes back without its owner', () => {
  test.each(Object.entries(DRILLS) as [Ending, Drill][])(
    '%s',
    async (name, drill) => {
      let isBack = false;
      await drill(async (work) => {
        const begun = performance.now();
        const limitMs = (4 * CLAIMS[name].afterS + 60) * 1_000;
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error(`The claim is not back after ${limitMs / 1_000} s.`)), limitMs);
        });
        await Promise.race([work(), late]).finally(() => clearTimeout(timer));
        console.log(`${name}: back after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
        isBack = true;
      });
      expect(isBack).toBe(true);
    },
    LIMIT_MS,
  );
});
