import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { UsageDay } from '@burnish/client';
import { KEPT_FOLDER, KEYS, type KeptFacts, readLedger, RECEIVER_PORT, SETTINGS } from '../kept-data/kept-instance.ts';
import { unpackFolder } from '../kept-data/archive.ts';
import { listenHttp } from '../support/local-server.ts';
import { onTestFinished } from '../support/running-test.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { createApi, type Api, type UploadRecord } from './api.ts';
import { startInstance } from './instance.ts';
import type { ReceivedEvent } from './webhook-receiver.ts';

const kept = (await readdir(KEPT_FOLDER)).flatMap((name) => /^(.+)\.brotli$/.exec(name)?.[1] ?? []);
const DAY_MS = 86_400_000;
/** Several starts of an instance on a busy machine, milliseconds. */
const BUSY_MS = 600_000;
/** Time for a revival: the sweep begins within a minute, and each start waits for its turn. */
const PATIENCE = { withinMs: 300_000 };
const PRICE = 4;

/**
 * What a wait has come to. With the workflows of the recording, its limit runs from then on; workflows that start again from the
 * records begin it anew.
 */
const isStillOpen = ({ recordedAt }: KeptFacts, limitDays: number, withWorkflows: boolean): boolean =>
  !withWorkflows || Date.now() - Date.parse(recordedAt) < limitDays * DAY_MS;

/** Whether the uploads of the recording, which stay for a year, are still there. */
const isWithinRetention = ({ recordedAt }: KeptFacts): boolean => Date.now() - Date.parse(recordedAt) < 364 * DAY_MS;

test('data of this version or of one before it is kept', () => {
  expect(kept).not.toEqual([]);
});

describe.each(kept)('on a data folder of %s, this build', (version) => {
  test.each([
    ['continues its workflows', true],
    ['starts its workflows again from the records', false],
  ])(
    '%s: nothing is lost, nothing is charged twice, and each wait ends',
    async (_, withWorkflows) => {
      const facts = JSON.parse(await readFile(join(KEPT_FOLDER, `${version}.json`), 'utf8')) as KeptFacts;
      if (!isWithinRetention(facts))
        throw new Error(`The uploads of ${version} have expired: remove its files from test/kept-data.`);
      await using folder = await temporaryFolder();
      const dataDir = join(folder.path, 'data');
      await unpackFolder(join(KEPT_FOLDER, `${version}.brotli`), dataDir);
      if (!withWorkflows) await rm(join(dataDir, 'temporal'), { recursive: true });
      const events: ReceivedEvent[] = [];
      const receiver = await listenHttp((req, res) => {
        void buffer(req).then((body) => {
          events.push(JSON.parse(body.toString()) as ReceivedEvent);
          res.writeHead(204).end();
        });
      }, RECEIVER_PORT);
      onTestFinished(() => receiver[Symbol.asyncDispose]());
      await using instance = await startInstance({ dataDir, apiKey: KEYS.BURNISH_BOOTSTRAP_API_KEY, env: SETTINGS });
      const { api, url } = instance;
      const [ofPoor, ofTest] = [createApi(url, facts.poor.apiKey), createApi(url, facts.testKey)];
      const { uploads } = facts;
      const read = async (id: string, by: Api = api): Promise<UploadRecord> =>
        (await by.get<UploadRecord>(`/v1/uploads/${id}`)).body;
      const ended = async (id: string, by: Api = api) => {
        const upload = await until(
          () => read(id, by),
          ({ enhancements }) => enhancements.every(({ status }) => /FINISHED|ERROR|CANCELLED/.test(status)),
          PATIENCE,
        );
        return upload.enhancements[0]!;
      };
      const accepted = (by: Api, path: string, call: Parameters<Api['call']>[2] = {}) =>
        until(async () => ((await by.call('POST', path, call)).status < 300 ? true : undefined), undefined, PATIENCE);

      const finished = await read(uploads.finished);
      expect(finished).toMatchObject({
        status: 'UPLOAD_FINISHED',
        enhancements: [{ status: 'FINISHED', chargedCredits: PRICE }],
      });
      // 1.0.0-rc.2 did not record the key of an order.
      const day = finished.enhancements[0]!.finishedAt!.slice(0, 10);
      const { body: usage } = await api.get<{ items: UsageDay[] }>(`/v1/usage?since=${day}&until=${day}`);
      expect(usage.items[0]!.keys.map(({ keyId }) => keyId === null)).toContain(version === '1.0.0-rc.2');
      const bytes = Buffer.from(await (await fetch(finished.enhancements[0]!.fullUrl!)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(facts.resultHash);

      const approval = (await read(uploads.awaitingApproval)).enhancements[0]!;
      if (isStillOpen(facts, 7, withWorkflows)) await accepted(api, `/v1/enhancements/${approval.id}/approve`);
      const credits = `/v1/operator/accounts/${facts.poor.accountId}/credits`;
      const headers = { authorization: `Bearer ${KEYS.BURNISH_OPERATOR_KEY}` };
      await accepted(createApi(url, KEYS.BURNISH_OPERATOR_KEY), credits, {
        headers,
        body: { credits: PRICE, reference: 'kept' },
      });
      const paid = { status: 'FINISHED', chargedCredits: PRICE };
      expect(await ended(uploads.awaitingApproval)).toMatchObject(
        isStillOpen(facts, 7, withWorkflows) ? paid : { status: 'ERROR', chargedCredits: null },
      );
      expect(await ended(uploads.awaitingCredits, ofPoor)).toMatchObject(
        isStillOpen(facts, 30, withWorkflows) ? paid : { status: 'ERROR', errorCode: 'INSUFFICIENT_CREDITS' },
      );

      await accepted(api, `/v1/batches/${facts.batchId}/approve`);
      const batch = await until(
        async () =>
          (await api.get<{ status: string; counts: Record<string, number> }>(`/v1/batches/${facts.batchId}`)).body,
        ({ status }) => status === 'FINISHED',
        PATIENCE,
      );
      expect(batch.counts).toMatchObject({ finished: 3, failed: 0 });

      const { id: delivered } = (await read(uploads.awaitingDelivery)).enhancements[0]!;
      const ends = () => events.filter(({ data }) => data['id'] === delivered && data['status'] === 'FINISHED');
      await until(() => ends().length > 0 || undefined, undefined, PATIENCE);
      expect(new Set(ends().map(({ id }) => id)).size).toBe(1);

      await accepted(ofTest, '/v1/test/clock', { body: { seconds: 31 * 86_400 } });
      await until(
        () => read(uploads.ofTestAccount, ofTest),
        ({ status }) => status === 'UPLOAD_DELETED',
        PATIENCE,
      );

      const charges = await chargesOf(api, ofPoor, ofTest);
      expect(await instance.stop()).toBe(0);
      const ledger = await readLedger(dataDir);
      // The ledger only grows, and each enhancement was charged once, with what its record says.
      expect(ledger.slice(0, facts.ledger.length)).toEqual(facts.ledger);
      const sumsOf = (kind: string) => {
        const sums = new Map<string, number[]>();
        for (const { enhancement, kind: each, credits: many } of ledger)
          if (each === kind && enhancement !== null) sums.set(enhancement, [...(sums.get(enhancement) ?? []), many]);
        return sums;
      };
      const captures = sumsOf('capture');
      expect(Object.fromEntries(captures)).toEqual(Object.fromEntries(charges.map(([id, many]) => [id, [many]])));
      const released = sumsOf('release');
      for (const [id, reserved] of sumsOf('reserve')) {
        const settled = [...(captures.get(id) ?? []), ...(released.get(id) ?? [])];
        expect(settled.reduce((sum, each) => sum + each, 0)).toBe(reserved.reduce((sum, each) => sum + each, 0));
      }
    },
    BUSY_MS,
  );
});

/** Ids and credits of all charged enhancements of these accounts. */
async function chargesOf(...accounts: Api[]): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for (const api of accounts) {
    const { body } = await api.get<{ items: { id: string; chargedCredits: number | null }[] }>(
      '/v1/enhancements?limit=100',
    );
    for (const { id, chargedCredits } of body.items) if (chargedCredits) found.push([id, chargedCredits]);
  }
  return found;
}
