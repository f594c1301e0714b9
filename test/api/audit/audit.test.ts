import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AUDIT_ACTION_NAMES, type AuditAction, type AuditEntry } from '@burnish/contract';
import { createEndpointCommands } from '../../../src/api/operator/endpoint-commands.ts';
import { createOperatorCommands } from '../../../src/api/operator/operator-commands.ts';
import { deleteAccounts } from '../../../src/api/reconcile/delete-accounts.ts';
import type { AccountBucket } from '../../../src/storage/s3/account-bucket.ts';
import { createLifecycleSteps } from '../../../src/database/uploads/lifecycle-steps.ts';
import { tonedPhotographs } from '../../../packages/engine/test/support/toned-photographs.ts';
import { OPERATOR_KEY, testGateway, type TestGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { storedPhotographs } from '../support/stored-photographs.ts';
import { jsonRequests } from '../support/requests.ts';
import { testVault } from '../../support/test-vault.ts';
import { ensureInitialAccount } from '../../../src/database/accounts/initial-account.ts';

let gateway: TestGateway;
/** Of the key that the tests ask with */
let keyId: string;
/** Entries in logs of other accounts and of the instance */
const byOperator: AuditEntry[] = [];
const send = jsonRequests(() => gateway);
const unused = (): Promise<never> => Promise.reject(new Error('No object is needed here.'));
const PAGE = { 'x-burnish-session': '1', 'Content-Type': 'application/json' };

beforeAll(async () => {
  // The probe of a bucket is proved with the S3 server, in test/api/operator/buckets.full.ts.
  const reachable: AccountBucket = {
    probe: () => Promise.resolve(),
    write: unused,
    read: unused,
    list: unused,
    close: () => undefined,
  };
  gateway = await testGateway({ openBucket: () => Promise.resolve(reachable) });
  keyId = (await gateway.records.apiKeys.list(gateway.account.id, { includeInternal: true }))[0]!.id;
  // The workflow takes every command and answers with the record as it stands.
  gateway.temporal.onUpdate = async ({ workflowId, name, args }) => {
    const uploadId = workflowId.slice(workflowId.indexOf('upl_'));
    if (name.endsWith('Batch')) return null;
    if (name === 'deleteUpload') return await gateway.records.uploads.find(uploadId);
    const [{ enhancementId }] = args as [{ enhancementId: string }];
    return await gateway.records.enhancements.get(gateway.account.id, enhancementId);
  };
});
afterAll(async () => await gateway[Symbol.asyncDispose]());

const ask = async (method: string, path: string, body?: object) =>
  (await send(method, path, { ...(body && { body }) })).json();
const entries = async (query = '', key = gateway.key): Promise<AuditEntry[]> =>
  (await (await send('GET', `/v1/audit?limit=100${query}`, { key })).json()).items;
const newest = async (action: AuditAction): Promise<AuditEntry | undefined> => (await entries(`&action=${action}`))[0];

describe('the audit log records actor, action, address and time', () => {
  test.each<[AuditAction, () => Promise<{ subject: string | null; details?: object }>]>([
    [
      'api_key.create',
      async () => {
        const { id } = await ask('POST', '/v1/api-keys', { name: 'Audited', scopes: ['read'] });
        return { subject: id, details: { name: 'Audited', scopes: ['read'], expiresAt: null } };
      },
    ],
    [
      'api_key.delete',
      async () => {
        const { apiKey } = await gateway.records.apiKeys.create(gateway.account.id, 'Gone');
        await send('DELETE', `/v1/api-keys/${apiKey.id}`);
        return { subject: apiKey.id, details: { name: 'Gone' } };
      },
    ],
    [
      'settings.change',
      async () => {
        await send('PATCH', '/v1/settings', { body: { uploadRetentionDays: 9 } });
        return { subject: null, details: { uploadRetentionDays: 9 } };
      },
    ],
    [
      'preset.save',
      async () => ({ subject: `web@${(await ask('PUT', '/v1/presets/web', { enhancements: [{}] })).version}` }),
    ],
    [
      'preset.delete',
      async () => {
        await send('DELETE', '/v1/presets/web');
        return { subject: 'web' };
      },
    ],
    [
      'look.save',
      async () => {
        const stored = await storedPhotographs(
          gateway,
          tonedPhotographs(16, () => ({ warm: 1 })),
        );
        const pictures = stored.map(({ id }) => ({ finished: id }));
        return { subject: `warm@${(await ask('PUT', '/v1/looks/warm', { pictures })).version}` };
      },
    ],
    ['look.delete', async () => send('DELETE', '/v1/looks/warm').then(() => ({ subject: 'warm' }))],
    [
      'webhook.create',
      async () => {
        const body = { url: 'https://example.com/hook?token=a-secret-of-theirs', events: ['upload.deleted'] };
        const { id } = await ask('POST', '/v1/webhooks', body);
        return { subject: id, details: { host: 'example.com', events: ['upload.deleted'] } };
      },
    ],
    [
      'webhook.rotate_secret',
      async () => {
        const [{ id }] = (await ask('GET', '/v1/webhooks')).items;
        await send('POST', `/v1/webhooks/${id}/rotate-secret`, { body: {} });
        return { subject: id };
      },
    ],
    [
      'webhook.test',
      async () => {
        const [{ id: webhookId }] = (await ask('GET', '/v1/webhooks')).items;
        const { id } = await (await send('POST', `/v1/webhooks/${webhookId}/test`, { body: {} })).json();
        return { subject: id, details: { webhookId } };
      },
    ],
    [
      'webhook.redeliver',
      async () => {
        const [{ id: redeliveryOf }] = (await (await send('GET', '/v1/webhook-deliveries')).json()).items;
        const { id } = await ask('POST', `/v1/webhook-deliveries/${redeliveryOf}/redeliver`, {});
        return { subject: id, details: { redeliveryOf } };
      },
    ],
    [
      'webhook.change',
      async () => {
        const [{ id }] = (await ask('GET', '/v1/webhooks')).items;
        const body = { url: 'https://example.org/hook?token=a-secret-of-theirs', enabled: true };
        await send('PATCH', `/v1/webhooks/${id}`, { body });
        return { subject: id, details: { host: 'example.org', enabled: true } };
      },
    ],
    [
      'webhook.redeliver_failed',
      async () => {
        const [{ id }] = (await ask('GET', '/v1/webhooks')).items;
        const [delivery] = (await (await send('GET', `/v1/webhook-deliveries?webhookId=${id}`)).json()).items;
        const at = new Date().toISOString();
        const failed = { number: 1, at, httpStatus: 500, latencyMs: 1, answer: '', retryAfterMs: null } as const;
        await gateway.records.deliveries.recordAttempt(
          delivery.id,
          { ...failed, outcome: 'failed' },
          { status: 'FAILED', nextAttemptAt: null },
        );
        const since = '2026-01-01T00:00:00.000Z';
        await send('POST', `/v1/webhooks/${id}/redeliver-failed`, { body: { since } });
        return { subject: id, details: { since, deliveries: 1 } };
      },
    ],
    [
      'webhook.delete',
      async () => {
        const [{ id }] = (await ask('GET', '/v1/webhooks')).items;
        await send('DELETE', `/v1/webhooks/${id}`);
        return { subject: id };
      },
    ],
    [
      'upload.delete',
      async () => {
        const { id } = await storedUpload(gateway);
        await send('DELETE', `/v1/uploads/${id}`);
        return { subject: id };
      },
    ],
    ...(['approve', 'reject', 'cancel'] as const).map(
      (decision): [AuditAction, () => Promise<{ subject: string; details: object }>] => [
        `enhancement.${decision}`,
        async () => {
          const upload = await storedUpload(gateway);
          const { id } = await storedEnhancement(gateway, upload, { status: 'AWAITING_APPROVAL' });
          await send('POST', `/v1/enhancements/${id}/${decision}`, { body: {} });
          return { subject: id, details: { uploadId: upload.id } };
        },
      ],
    ),
    ...(['approve', 'cancel'] as const).map((decision): [AuditAction, () => Promise<{ subject: string }>] => [
      `batch.${decision}`,
      async () => {
        const { id } = await (await send('POST', '/v1/batches', { body: { enhancements: [{}] } })).json();
        await send('POST', `/v1/batches/${id}/${decision}`, { body: {} });
        return { subject: id };
      },
    ]),
  ])('%s', async (action, act) => {
    const { subject: subjectId, details = {} } = await act();
    const by = { actor: 'key', keyId, keyName: 'First key', address: '127.0.0.1' };
    expect(await newest(action)).toMatchObject({ ...by, action, subjectId, details });
  });

  test('of session.open and session.close, with the key of the session', async () => {
    const body = JSON.stringify({ apiKey: gateway.key });
    const opened = await gateway.fetch('/session', { method: 'POST', key: null, headers: PAGE, body });
    const Cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    const by = { actor: 'session', keyId, address: '127.0.0.1', subjectId: null };
    expect(await newest('session.open')).toMatchObject({ ...by, details: { by: 'key' } });
    await gateway.fetch('/v1/settings', {
      method: 'PATCH',
      key: null,
      headers: { ...PAGE, Cookie },
      body: JSON.stringify({ uploadRetentionDays: 11 }),
    });
    expect(await newest('settings.change')).toMatchObject({ ...by, details: { uploadRetentionDays: 11 } });
    await gateway.fetch('/session', { method: 'DELETE', key: null, headers: { ...PAGE, Cookie } });
    expect(await newest('session.close')).toMatchObject(by);
  });

  test('of changes by the operator and of a changed plan at start', async () => {
    const { records, temporal, account } = gateway;
    const commands = createOperatorCommands({
      ...records,
      accounts: { ...records.accounts, initial: async () => account },
      publicUrl: gateway.url,
      operatorKey: OPERATOR_KEY,
      client: temporal.client,
      now: Date.now,
    });
    const by = { actor: 'operator', keyId: null, address: null };
    await commands.topUp({ credits: 5, reference: 'invoice 7' });
    await commands.topUp({ credits: 5, reference: 'invoice 7' });
    expect(await entries('&action=credits.top_up')).toMatchObject([
      { ...by, subjectId: 'invoice 7', details: { credits: 5 } },
    ]);
    const { apiKey } = await commands.createApiKey('By hand');
    expect(await newest('api_key.create')).toMatchObject({ ...by, subjectId: apiKey.id });
    await commands.deleteApiKey(apiKey.id);
    expect(await newest('api_key.delete')).toMatchObject({
      ...by,
      subjectId: apiKey.id,
      details: { name: apiKey.name },
    });
    const { url } = await commands.signInLink();
    expect(await newest('sign_in_link.create')).toMatchObject(by);
    await commands.rotateSigningKey(false);
    expect(await newest('signing_key.rotate')).toMatchObject({ ...by, details: { atOnce: false } });
    const token = url.slice(url.lastIndexOf('=') + 1).replace(/^.*[#/]/, '');
    expect(JSON.stringify(await entries())).not.toContain(token);
    // The account that sorts first is the other one here.
    await ensureInitialAccount(gateway.database, testVault, { plan: 'BUSINESS', creditsPerPeriod: 100 });
    const details = { plan: 'BUSINESS', planBefore: 'BASIC' };
    expect(await entries('&action=plan.change', gateway.foreignKey)).toMatchObject([{ ...by, details }]);
  });

  test('of operator actions on accounts and plans, in the log of the account or of the instance', async () => {
    const operator = async (method: string, path: string, body?: unknown) =>
      (
        await send(method, `/v1/operator${path}`, { key: OPERATOR_KEY, ...(body === undefined ? {} : { body }) })
      ).json();
    const made = await operator('POST', '/accounts', { name: 'Audited', plan: 'FREE' });
    const { id } = made.account;
    const log = async (query: string): Promise<AuditEntry[]> =>
      (await operator('GET', `/audit?limit=100${query}`)).items;
    const by = { actor: 'operator', keyId: null, address: '127.0.0.1' };
    await operator('PATCH', `/accounts/${id}`, { plan: 'BASIC' });
    // What is so already is no change.
    for (let i = 0; i < 2; i += 1) await operator('PATCH', `/accounts/${id}`, { jobsAtOnce: 9 });
    for (let i = 0; i < 2; i += 1) await operator('POST', `/accounts/${id}/suspend`);
    await operator('POST', `/accounts/${id}/resume`);
    await operator('DELETE', `/accounts/${id}`);
    const { client } = gateway.temporal;
    const reconciling = { ...gateway.records, client, log: { warn: () => undefined }, now: Date.now };
    await deleteAccounts(reconciling, new AbortController().signal);
    const ofAccount = await log(`&accountId=${id}`);
    expect(ofAccount).toMatchObject([
      { actor: 'operator', address: null, action: 'account.deleted', details: { uploads: 0, apiKeys: 1 } },
      { ...by, action: 'account.delete', details: { name: 'Audited' } },
      { ...by, action: 'account.resume' },
      { ...by, action: 'account.suspend' },
      { ...by, action: 'account.change', details: { jobsAtOnce: 9, jobsAtOnceBefore: null } },
      { ...by, action: 'account.change', details: { plan: 'BASIC', planBefore: 'FREE' } },
      { ...by, action: 'account.create', details: { name: 'Audited', plan: 'FREE' } },
      { ...by, action: 'api_key.create', details: { name: 'First key' } },
    ]);
    const [{ id: planId, ...plan }] = (await operator('GET', '/plans')).items;
    await operator('PUT', `/plans/${planId}`, { ...plan, fairnessWeight: 7 });
    const ofInstance = await log('');
    expect(ofInstance).toMatchObject([
      { ...by, action: 'plan.define', subjectId: planId, details: { fairnessWeight: 7, fairnessWeightBefore: 2 } },
    ]);
    byOperator.push(...ofAccount, ...ofInstance);
    expect(JSON.stringify(byOperator)).not.toContain(made.apiKey);
  });

  test('of endpoint.create, endpoint.rotate_token and endpoint.delete, without the token', async () => {
    const commands = createEndpointCommands({ ...gateway.records, temporal: undefined });
    const order = { name: 'shop', accountId: gateway.account.id, scopes: ['buckets', 'enhance'] } as const;
    const { token } = await commands.createEndpoint(order);
    expect((await commands.createEndpoint(order)).token).toBeNull();
    const rotated = await commands.rotateEndpointToken('shop', true);
    await commands.deleteEndpoint('shop');
    await expect(commands.deleteEndpoint('shop')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(commands.rotateEndpointToken('shop', true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const useless = { ...order, scopes: ['buckets'] } as const;
    await expect(commands.createEndpoint(useless)).rejects.toMatchObject({ field: 'scopes' });
    const ours = (await entries()).filter(({ action }) => action.startsWith('endpoint.'));
    const by = { actor: 'operator', keyId: null, address: null, subjectId: 'shop' };
    expect(ours).toMatchObject([
      { ...by, action: 'endpoint.delete' },
      { ...by, action: 'endpoint.rotate_token', details: { atOnce: true } },
      { ...by, action: 'endpoint.create', details: { scopes: ['enhance', 'buckets'] } },
    ]);
    expect(JSON.stringify(ours)).not.toContain(token);
    expect(JSON.stringify(ours)).not.toContain(rotated.token);
  });

  test('of bucket.create and bucket.delete, without the keys', async () => {
    const path = `/v1/operator/accounts/${gateway.account.id}/buckets`;
    const place = { url: 's3://shop/in', endpoint: 'https://s3.example.com/' };
    const keys = { accessKeyId: 'an-id', secretAccessKey: 'a-secret-of-theirs' };
    const body = { name: 'photos', region: 'us-east-1', ...place, ...keys };
    expect((await send('POST', path, { key: OPERATOR_KEY, body })).status).toBe(201);
    expect((await send('POST', path, { key: OPERATOR_KEY, body })).status).toBe(400);
    expect((await send('DELETE', `${path}/photos`, { key: OPERATOR_KEY })).status).toBe(204);
    const ours = (await entries()).filter(({ action }) => action.startsWith('bucket.'));
    const by = { actor: 'operator', keyId: null, subjectId: 'photos' };
    expect(ours).toMatchObject([
      { ...by, action: 'bucket.delete' },
      { ...by, action: 'bucket.create', details: place },
    ]);
  });

  test.each([
    ['upload.original_missing', 'ORIGINAL_MISSING'],
    ['upload.original_damaged', 'ORIGINAL_DAMAGED'],
  ] as const)('of %s, once for a record, in the log of the instance', async (action, errorCode) => {
    const upload = await storedUpload(gateway);
    const failed = { ...upload, revision: 1, status: 'UPLOAD_FAILED', errorCode } as const;
    const steps = createLifecycleSteps(gateway.database, testVault);
    // A late repetition of the same step.
    for (let i = 0; i < 2; i += 1) await steps.recordUpload({ upload: failed, sentence: 'Failed.', announce: null });
    const path = `/v1/operator/audit?limit=10&action=${action}`;
    const { items } = await (await send('GET', path, { key: OPERATOR_KEY })).json();
    const by = { actor: 'burnish', keyId: null, address: null };
    expect(items).toMatchObject([{ ...by, subjectId: upload.id, details: { accountId: gateway.account.id } }]);
    byOperator.push(...items);
  });

  test('of webhook.disable, with Burnish as its actor', async () => {
    const { id, disabledAt } = await disabledByFailures();
    expect(disabledAt).not.toBeNull();
    const by = { actor: 'burnish', keyId: null, address: null };
    const details = { reason: 'failing', failingSince: '2026-01-01T00:00:00.000Z' };
    expect(await newest('webhook.disable')).toMatchObject({ ...by, subjectId: id, details });
  });

  test('of every action, without any secret', async () => {
    const all = [...(await entries()), ...(await entries('', gateway.foreignKey)), ...byOperator];
    expect(new Set(all.map(({ action }) => action))).toEqual(new Set(AUDIT_ACTION_NAMES));
    const text = JSON.stringify(all);
    expect(text).not.toMatch(/bk_|whsec_|a-secret-of-theirs/);
    expect(text).not.toContain(gateway.key);
  });
});

/** An endpoint whose attempts have failed from the first to the sixth of January. */
async function disabledByFailures(): Promise<{ id: string; disabledAt: string | null }> {
  const { id } = await (await send('POST', '/v1/webhooks', { body: { url: 'https://example.com/down' } })).json();
  const { id: deliveryId } = await (await send('POST', `/v1/webhooks/${id}/test`, { body: {} })).json();
  for (const [index, day] of ['01', '06'].entries()) {
    const at = `2026-01-${day}T00:00:00.000Z`;
    const failed = { number: index + 1, at, httpStatus: 503, latencyMs: 1, answer: '', retryAfterMs: null } as const;
    const next = { status: 'PENDING', nextAttemptAt: at } as const;
    await gateway.records.deliveries.recordAttempt(deliveryId, { ...failed, outcome: 'failed' }, next);
  }
  return (await send('GET', `/v1/webhooks/${id}`)).json();
}

describe('an audit entry', () => {
  test('is written once for a repeated request and never for a refused one', async () => {
    const before = (await entries()).length;
    expect((await send('DELETE', `/v1/api-keys/key_${'7'.repeat(26)}`)).status).toBe(404);
    expect((await send('POST', '/v1/api-keys', { body: { name: '' } })).status).toBe(400);
    for (let i = 0; i < 2; i += 1) await send('POST', '/v1/api-keys', { body: { name: 'Once' }, once: 'audit-once' });
    const { id } = await storedUpload(gateway);
    for (let i = 0; i < 2; i += 1) await send('DELETE', `/v1/uploads/${id}`, { once: 'audit-delete' });
    expect((await entries()).length).toBe(before + 2);
  });

  test.each(['update audit_entries set actor = $$key$$', 'delete from audit_entries', 'truncate audit_entries'])(
    'cannot be changed or deleted: %s',
    async (statement) => {
      const before = await entries();
      const refused = await gateway.database.orm.execute(sql.raw(statement)).catch((error: Error) => error);
      expect(String((refused as Error).cause ?? refused)).toContain('append-only');
      expect(await entries()).toEqual(before);
    },
  );
});
