import { describe, expect, test } from '@jest/globals';
import { buckets } from '../../../src/database/schema/buckets.ts';
import { createSafeFetch } from '../../../src/net/safe-fetch.ts';
import { accountBucketOpener } from '../../../src/runtime/open-account-buckets.ts';
import { OPERATOR_KEY, testGateway, useGateway, type TestResponse } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { loopbackBuckets } from '../../support/loopback-buckets.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { testPort } from '../../support/test-port.ts';
import { useForFile } from '../../support/use-for.ts';

const s3 = useForFile(() => startS3Server());
const gateway = useGateway({ openBucket: loopbackBuckets });
const send = jsonRequests(() => gateway);
const operator = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
  send(method, `/v1/operator/accounts/${path}`, { key: OPERATOR_KEY, ...(body === undefined ? {} : { body }) });

let names = 0;
async function account(): Promise<string> {
  const body = { name: `With buckets ${(names += 1)}` };
  const made = await send('POST', '/v1/operator/accounts', { key: OPERATOR_KEY, body });
  return (await made.json()).account.id;
}

const order = async (more: object = {}): Promise<object> => ({
  name: 'results',
  url: `s3://${await s3.createBucket()}/below/here`,
  endpoint: s3.endpoint,
  region: 'us-east-1',
  accessKeyId: s3.env['AWS_ACCESS_KEY_ID'],
  secretAccessKey: s3.env['AWS_SECRET_ACCESS_KEY'],
  ...more,
});

describe('registered buckets', () => {
  test('are created after a probe that leaves nothing, listed without keys, and removed', async () => {
    const id = await account();
    const body = (await order()) as { url: string };
    const made = await operator('POST', `${id}/buckets`, body);
    expect([made.status, await made.json()]).toEqual([
      201,
      {
        name: 'results',
        url: body.url,
        endpoint: `${s3.endpoint}/`,
        region: 'us-east-1',
        createdAt: expect.any(String),
      },
    ]);
    expect(await s3.filesOf(body.url.split('/')[2]!)).toEqual([]);
    const listed = await (await operator('GET', `${id}/buckets`)).json();
    expect(listed.items).toMatchObject([{ name: 'results' }]);
    expect(JSON.stringify(listed)).not.toMatch(/secret|accessKey/i);
    expect((await operator('DELETE', `${id}/buckets/results`)).status).toBe(204);
    expect((await (await operator('GET', `${id}/buckets`)).json()).items).toEqual([]);
    expect((await operator('DELETE', `${id}/buckets/results`)).status).toBe(404);
  });

  test('keep their secret out of the database, the log and the audit log', async () => {
    const id = await account();
    await operator('POST', `${id}/buckets`, await order());
    const secret = s3.env['AWS_SECRET_ACCESS_KEY']!;
    const rows = JSON.stringify(await gateway.database.orm.select().from(buckets));
    expect(rows).toContain('sealed.1.');
    const audit = JSON.stringify(await (await operator('GET', `${id}`)).json());
    for (const place of [rows, audit, gateway.logged()]) expect(place).not.toContain(secret);
    expect((await gateway.records.buckets.open(id, 'results'))!.credentials.secretAccessKey).toBe(secret);
  });

  test('are refused for a wrong secret, a missing bucket and a service that is away, with the reason', async () => {
    const id = await account();
    const refusal = async (more: object): Promise<unknown[]> => {
      const response = await operator('POST', `${id}/buckets`, await order(more));
      const { code, detail } = await response.json();
      return [response.status, code, detail];
    };
    expect(await refusal({ secretAccessKey: 'another' })).toEqual([
      422,
      'BUCKET_REFUSED',
      'The bucket results refuses access: the secret access key is not the one of the access key.',
    ]);
    expect((await refusal({ accessKeyId: 'another' })).slice(0, 2)).toEqual([422, 'BUCKET_REFUSED']);
    expect(await refusal({ url: 's3://no-such-bucket' })).toEqual([
      422,
      'BUCKET_REFUSED',
      'The bucket results refuses access: the bucket does not exist.',
    ]);
    const away = `http://127.0.0.1:${await testPort()}`;
    expect((await refusal({ endpoint: away })).slice(0, 2)).toEqual([503, 'UNAVAILABLE']);
    expect((await refusal({ url: 's3://ab/../c' })).slice(0, 2)).toEqual([400, 'BAD_USER_INPUT']);
    expect((await (await operator('GET', `${id}/buckets`)).json()).items).toEqual([]);
  }, 30_000);

  test('have distinct names, at most ten of them', async () => {
    const id = await account();
    const body = await order();
    for (let number = 1; number <= 10; number += 1) {
      expect((await operator('POST', `${id}/buckets`, { ...body, name: `b${number}` })).status).toBe(201);
    }
    const again = await (await operator('POST', `${id}/buckets`, { ...body, name: 'b1' })).json();
    expect([again.field, again.remedy]).toEqual(['name', 'Delete it first, or choose another name.']);
    const eleventh = await (await operator('POST', `${id}/buckets`, { ...body, name: 'b11' })).json();
    expect(eleventh.detail).toBe('An account has at most 10 buckets.');
  });

  test('disappear with their account at once', async () => {
    const id = await account();
    await operator('POST', `${id}/buckets`, await order());
    await operator('DELETE', id);
    expect(await gateway.records.buckets.list(id)).toEqual([]);
    expect((await operator('GET', `${id}/buckets`)).status).toBe(404);
  });
});

test('an instance that allows no private host refuses a bucket on one, before any request', async () => {
  await using strict = await testGateway({
    openBucket: accountBucketOpener(createSafeFetch({ allowedPrivateHosts: [] })),
  });
  const strictSend = jsonRequests(() => strict);
  for (const endpoint of [s3.endpoint, 'https://169.254.169.254', 'https://localhost', 'http://s3.example.com']) {
    const response = await strictSend('POST', `/v1/operator/accounts/${strict.account.id}/buckets`, {
      key: OPERATOR_KEY,
      body: await order({ endpoint }),
    });
    expect(await response.json()).toMatchObject({ code: 'URL_NOT_ALLOWED', field: 'endpoint' });
  }
  const rebound = accountBucketOpener(createSafeFetch({ allowedPrivateHosts: [], resolve: async () => ['127.0.0.1'] }));
  const bucket = { accountId: '', name: 'b', bucket: 'abc', prefix: '', region: 'us-east-1', createdAt: '' };
  const opened = await rebound(
    { ...bucket, endpoint: 'https://s3.example.com' },
    { accessKeyId: 'a', secretAccessKey: 'b' },
  );
  await expect(opened.probe()).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
});
