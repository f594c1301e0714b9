import { expect, test } from '@jest/globals';
import { OPERATOR, type AuditEntry } from '@burnish/contract';
import { OPERATOR_OPERATIONS } from '../../../src/api/operations.ts';
import { createEndpointCommands } from '../../../src/api/operator/endpoint-commands.ts';
import { OPERATOR_KEY, useGateway } from '../support/gateway.ts';
import { loopbackBuckets } from '../../support/loopback-buckets.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { jsonRequests } from '../support/requests.ts';
import { useForFile } from '../../support/use-for.ts';

const s3 = useForFile(() => startS3Server());
const gateway = useGateway({ openBucket: loopbackBuckets });
const send = jsonRequests(() => gateway);
const operator = (method: string, path: string, body?: unknown) =>
  send(method, `/v1/operator${path}`, { key: OPERATOR_KEY, ...(body === undefined ? {} : { body }) });
const BY = { actor: 'operator', keyId: null, address: '127.0.0.1' };

/** Entries of one account, or of the instance, newest first. */
const log = async (accountId?: string): Promise<AuditEntry[]> => {
  const query = accountId === undefined ? '' : `&accountId=${accountId}`;
  return (await (await operator('GET', `/audit?limit=100${query}`)).json()).items;
};
let names = 0;
const made = async (): Promise<string> =>
  (await (await operator('POST', '/accounts', { name: `Audited ${(names += 1)}` })).json()).account.id;

const registered = async (): Promise<string> => {
  const accountId = await made();
  const response = await operator('POST', `/accounts/${accountId}/buckets`, {
    name: 'results',
    url: `s3://${await s3.createBucket()}/audited`,
    endpoint: s3.endpoint,
    region: 'us-east-1',
    accessKeyId: s3.env['AWS_ACCESS_KEY_ID'],
    secretAccessKey: s3.env['AWS_SECRET_ACCESS_KEY'],
  });
  expect(response.status).toBe(201);
  return accountId;
};

const PLAN = {
  name: 'Audited',
  maxResolution: 300,
  creditsPerPeriod: 1,
  requestsPerMinute: 1,
  jobsAtOnce: 1,
  fairnessWeight: 1,
  maxStoredBytes: 1_000,
};

/** One change for each operation: the account that it is about, or undefined for the instance, and its action. */
const CHANGES: Record<string, () => Promise<{ accountId?: string; action: string }>> = {
  createAccount: async () => ({ accountId: await made(), action: 'account.create' }),
  updateAccount: async () => {
    const accountId = await made();
    await operator('PATCH', `/accounts/${accountId}`, { plan: 'BUSINESS' });
    return { accountId, action: 'account.change' };
  },
  grantCredits: async () => {
    const accountId = await made();
    await operator('POST', `/accounts/${accountId}/credits`, { credits: 3, reference: 'invoice 3' });
    return { accountId, action: 'credits.top_up' };
  },
  suspendAccount: async () => {
    const accountId = await made();
    await operator('POST', `/accounts/${accountId}/suspend`);
    return { accountId, action: 'account.suspend' };
  },
  resumeAccount: async () => {
    const accountId = await made();
    for (const command of ['suspend', 'resume']) await operator('POST', `/accounts/${accountId}/${command}`);
    return { accountId, action: 'account.resume' };
  },
  deleteAccount: async () => {
    const accountId = await made();
    await operator('DELETE', `/accounts/${accountId}`);
    return { accountId, action: 'account.delete' };
  },
  createBucket: async () => ({ accountId: await registered(), action: 'bucket.create' }),
  deleteBucket: async () => {
    const accountId = await registered();
    await operator('DELETE', `/accounts/${accountId}/buckets/results`);
    return { accountId, action: 'bucket.delete' };
  },
  savePlan: async () => {
    await operator('PUT', '/plans/AUDITED', PLAN);
    return { action: 'plan.define' };
  },
};

const CHANGING = OPERATOR_OPERATIONS.filter(({ method }) => method !== 'get').map(({ operationId }) => operationId);

test.each(CHANGING)(
  'the operation %s of the operator is the newest entry of the audit log, with the address',
  async (id) => {
    const { accountId, action } = await CHANGES[id]!();
    expect((await log(accountId))[0]).toMatchObject({ ...BY, action });
  },
);

test('sign-ins and sign-outs of the operator are in the audit log of the instance; refused ones are not', async () => {
  const before = (await log()).length;
  const signIn = (apiKey: string) => send('POST', '/session', { key: null, body: { apiKey } });
  expect((await signIn(`${OPERATOR_KEY}x`)).status).toBe(401);
  expect(await log()).toHaveLength(before);

  const cookie = (await signIn(OPERATOR_KEY)).headers.get('set-cookie')!.split(';')[0]!;
  expect(await log()).toHaveLength(before + 1);
  expect((await log())[0]).toMatchObject({ ...BY, action: 'session.open' });

  for (let i = 0; i < 2; i += 1)
    expect((await gateway.fetch('/session', { method: 'DELETE', key: null, headers: { cookie } })).status).toBe(204);
  expect(await log()).toHaveLength(before + 2);
  expect((await log())[0]).toMatchObject({ ...BY, action: 'session.close' });
  const token = cookie.slice(cookie.indexOf('=') + 1);
  const all = JSON.stringify(await log());
  for (const secret of [OPERATOR_KEY, token]) expect(all).not.toContain(secret);
});

test('a Nexus endpoint exists only with its entry', async () => {
  const commands = createEndpointCommands({ ...gateway.records, temporal: undefined });
  const order = { name: 'unrecorded', accountId: await made() };
  // PostgreSQL stores no NUL, so the entry cannot be written.
  await expect(commands.createEndpoint(order, { ...OPERATOR, address: '\0' })).rejects.toThrow();
  expect(await commands.listEndpoints()).toEqual([]);
});
