import { beforeAll, describe, expect, test } from '@jest/globals';
import type { AuditEntry } from '@burnish/contract';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const entries = async (query = '', key = gateway.key): Promise<AuditEntry[]> =>
  (await (await send('GET', `/v1/audit?limit=100${query}`, { key })).json()).items;
let keyId: string;

beforeAll(async () => {
  keyId = (await gateway.records.apiKeys.list(gateway.account.id, { includeInternal: true }))[0]!.id;
  const settings = { uploadRetentionDays: 9 };
  for (let i = 0; i < 6; i += 1) await send('POST', '/v1/api-keys', { body: { name: `Key ${i}` } });
  await send('PATCH', '/v1/settings', { body: settings });
  for (let i = 6; i < 12; i += 1) await send('POST', '/v1/api-keys', { body: { name: `Key ${i}` } });
  await send('PATCH', '/v1/settings', { body: settings, key: gateway.foreignKey });
});

describe('GET /v1/audit', () => {
  test('returns pages, newest first', async () => {
    const all = await entries();
    const seen: AuditEntry[] = [];
    for (let after = ''; ;) {
      const { items, next } = await (await send('GET', `/v1/audit?limit=7${after}`)).json();
      seen.push(...items);
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen).toEqual(all);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((a, b) => b - a));
  });

  test('filters by key, subject and time', async () => {
    const all = await entries();
    expect(await entries(`&keyId=${keyId}`)).toEqual(all.filter((entry) => entry.keyId === keyId));
    const { subjectId } = all.find((entry) => entry.action === 'api_key.create')!;
    const { at } = all.find((entry) => entry.action === 'settings.change')!;
    expect(await entries(`&subjectId=${subjectId}`)).toEqual(all.filter((entry) => entry.subjectId === subjectId));
    expect(await entries(`&since=${at}`)).toEqual(all.filter((entry) => entry.at >= at));
    expect(await entries(`&until=${at}`)).toEqual(all.filter((entry) => entry.at < at));
  });

  test.each(['action=nothing', 'limit=0', 'after=x', 'since=yesterday', 'colour=red'])('refuses %s', async (query) => {
    const refused = await send('GET', `/v1/audit?${query}`);
    expect([refused.status, (await refused.json()).code]).toEqual([400, 'BAD_USER_INPUT']);
  });

  test('shows nothing of another account', async () => {
    const [own, foreign] = [await entries(), await entries('', gateway.foreignKey)];
    expect([own.length > 10, foreign.map(({ action }) => action)]).toEqual([true, ['settings.change']]);
    expect(own.map(({ seq }) => seq)).not.toContain(foreign[0]!.seq);
  });
});
