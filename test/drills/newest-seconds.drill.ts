import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { startWholeCluster, type WholeCluster } from '../cluster/cluster.ts';
import type { UploadRecord } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { webhookReceiver, type WebhookReceiver } from '../e2e/webhook-receiver.ts';
import { type FarSide, startFarSide } from '../hosted/second-instance.ts';
import { until } from '../support/until.ts';

/*
 * Temporal or PostgreSQL loses its newest seconds while two gateways run, as after a failover to a replica that is behind. What
 * the other store knows comes back without anyone's help, and nothing is charged twice.
 */

const LIMIT_MS = 900_000;
/** Time between two uploads, and time that a store loses, milliseconds */
const [PAUSE_MS, LOST_MS] = [400, 6_000];
const MINUTE_MS = 60_000;
const CAPTURES = `select count(*)::int as captured, count(distinct enhancement_id)::int as enhancements
  from credit_entries where kind = 'capture'`;

let seed = 0;

describe.each(['local', 'hosted'])('with the provider %s', (provider) => {
  let far: FarSide | undefined;
  let receiver: WebhookReceiver;
  let whole: WholeCluster;

  beforeAll(async () => {
    far = provider === 'hosted' ? await startFarSide() : undefined;
    receiver = await webhookReceiver();
    const hosted = far && { BURNISH_PROVIDER: 'hosted', BURNISH_HOSTED_RATE: '200', ...far.settings };
    const env = { BURNISH_PLAN: 'BUSINESS', BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1', ...hosted };
    whole = await startWholeCluster({ env, temporal: 'server' });
    const { api } = whole.cluster;
    const url = `${receiver.url}/hook`;
    expect(
      (await api.call('POST', '/v1/webhooks', { body: { url, events: ['enhanced_image.status_update'] } })).status,
    ).toBe(201);
  }, LIMIT_MS);
  afterAll(async () => {
    await (whole as WholeCluster | undefined)?.cluster[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await far?.[Symbol.asyncDispose]();
  }, LIMIT_MS);

  /**
   * Sends uploads to both gateways in turn while something happens.
   * @param work gets the accepted ones so far
   * @returns the accepted ones
   */
  async function sendWhile(
    work: (accepted: readonly string[]) => Promise<void>,
    pauseMs: number = PAUSE_MS,
  ): Promise<string[]> {
    const accepted: string[] = [];
    let sending = true;
    const load = (async () => {
      for (; sending; await pause(pauseMs)) {
        const { api } = whole.gateways[(seed += 1) % 2]!;
        const answer = await api.upload(await photo(seed), { enhancements: [{}] }).catch(() => undefined);
        if (answer?.status === 202) accepted.push(answer.body.id);
      }
    })();
    await work(accepted).finally(() => (sending = false));
    await load;
    return accepted;
  }

  /** Waits until these uploads are well. */
  async function ended(uploadIds: readonly string[]): Promise<void> {
    const open = new Set(uploadIds);
    await until(
      async () => {
        for (const id of open) {
          const { status, body } = await whole.cluster.api.get<UploadRecord>(`/v1/uploads/${id}`);
          if (status === 200 && body.enhancements[0]?.status === 'FINISHED') open.delete(id);
        }
        return open.size === 0 || undefined;
      },
      undefined,
      { pauseMs: 500 },
    );
  }

  async function captures(): Promise<{ captured: number; enhancements: number }> {
    const database = new Client({ connectionString: whole.cluster.databaseUrl });
    await database.connect();
    try {
      return (await database.query(CAPTURES)).rows[0] as { captured: number; enhancements: number };
    } finally {
      await database.end();
    }
  }

  test.each([
    ['Temporal', () => whole.cluster.temporal.copy!()],
    ['PostgreSQL', () => whole.cluster.postgres.copy()],
  ])(
    '%s loses its newest seconds: all accepted work ends, and is charged once',
    async (name, copy) => {
      const { api } = whole.cluster;
      const [charged, chargedThere] = [await captures(), await far?.instance.api.credits()];
      const accepted = await sendWhile(async () => {
        await pause(LOST_MS / 2);
        const putBack = await copy();
        await pause(LOST_MS);
        await putBack();
        await pause(LOST_MS / 2);
      });
      expect(accepted.length).toBeGreaterThan(LOST_MS / PAUSE_MS / 4);
      await ended(accepted);
      const after = await captures();
      // The older database also lacks what it had charged, and gets it from the workflows.
      expect(after.enhancements - charged.enhancements).toBe(accepted.length);
      expect(after.captured).toBe(after.enhancements);
      expect(await api.credits()).toMatchObject({ reserved: 0 });
      if (far !== undefined) expect((await far.instance.api.credits()).used - chargedThere!.used).toBe(accepted.length);
      // Events that PostgreSQL has lost are lost; those that it has arrive.
      if (name === 'Temporal')
        await until(
          () =>
            accepted.every((id) => receiver.deliveries.some(({ event }) => event.data['uploadId'] === id)) || undefined,
        );
    },
    LIMIT_MS,
  );

  test(
    'copies of every store, a minute apart and put back by the steps of the operator, have all that the database has',
    async () => {
      const { cluster, gateways, main, engines } = whole;
      const putBack: (() => Promise<void>)[] = [];
      let recorded: string[] = [];
      const chargedThere = await far?.instance.api.credits();
      const accepted = await sendWhile(async (acceptedSoFar) => {
        putBack.push(await cluster.temporal.copy!());
        await pause(MINUTE_MS);
        recorded = [...acceptedSoFar];
        putBack.push(await cluster.postgres.copy());
        await pause(MINUTE_MS);
        putBack.push(await cluster.s3.copy(cluster.bucket));
        await pause(LOST_MS);
      }, 5 * PAUSE_MS);
      expect(recorded.length).toBeGreaterThan(MINUTE_MS / PAUSE_MS / 20);
      for (const each of [...gateways, main, ...engines]) await each.kill();
      const [temporal, postgres, bucket] = putBack;
      for (const each of [postgres!, temporal!, bucket!]) await each();
      whole.main = await cluster.startMain();
      whole.engines = await Promise.all(engines.map(() => cluster.startEngine()));
      whole.gateways = [await cluster.startGateway(), await cluster.startGateway()];
      await ended(recorded);
      await until(async () => (await cluster.api.credits()).reserved === 0 || undefined);
      const { captured, enhancements } = await captures();
      expect(captured).toBe(enhancements);
      for (const id of recorded) {
        const { body } = await cluster.api.get<UploadRecord>(`/v1/uploads/${id}`);
        const { status } = await fetch(body.enhancements[0]!.fullUrl!);
        expect([id, status]).toEqual([id, 200]);
      }
      // The service keeps what it has charged since the copies, each once.
      if (far !== undefined) {
        const used = (await far.instance.api.credits()).used - chargedThere!.used;
        expect(used).toBeGreaterThanOrEqual(recorded.length);
        expect(used).toBeLessThanOrEqual(accepted.length);
      }
    },
    LIMIT_MS,
  );
});
