import { expect, test } from '@jest/globals';
import type { UsageDay } from '../../../packages/client/src/types.ts';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

const gateway = useGateway();

test('GET /v1/usage counts what ended on each day, for the account of the key alone', async () => {
  const upload = await storedUpload(gateway, {});
  const ends = [
    { status: 'FINISHED', chargedCredits: 4, finishedAt: '2026-03-01T23:59:59.999Z' },
    { status: 'FINISHED', chargedCredits: 1, finishedAt: '2026-03-02T00:00:00.000Z' },
    { status: 'ERROR', chargedCredits: 0, finishedAt: '2026-03-02T12:00:00.000Z' },
    { status: 'CANCELLED', chargedCredits: 0, finishedAt: '2026-03-02T13:00:00.000Z' },
    { status: 'FINISHED', chargedCredits: 1, finishedAt: '2026-03-03T00:00:00.000Z' },
  ] as const;
  for (const end of ends) await storedEnhancement(gateway, upload, end);
  const path = '/v1/usage?since=2026-03-01&until=2026-03-02';
  const { items } = (await (await gateway.fetch(path)).json()) as { items: UsageDay[] };
  // Records of earlier versions know no key.
  const key = { keyId: null, keyName: null };
  const first = { finished: 1, failed: 0, cancelled: 0, reused: 0, credits: 4 };
  const second = { finished: 1, failed: 1, cancelled: 1, reused: 0, credits: 1 };
  expect(items).toEqual([
    { day: '2026-03-01', ...first, keys: [{ ...key, ...first }] },
    { day: '2026-03-02', ...second, keys: [{ ...key, ...second }] },
  ]);
  expect(await (await gateway.fetch(path, { key: gateway.foreignKey })).json()).toEqual({ items: [], next: null });
  const wrong = await gateway.fetch('/v1/usage?since=2026-03-02&until=2026-03-01');
  expect([wrong.status, ((await wrong.json()) as { field: string }).field]).toEqual([400, 'since']);
});
