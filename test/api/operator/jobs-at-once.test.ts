import { expect, test } from '@jest/globals';
import { OPERATOR_KEY, useGateway, type TestResponse } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

/** An account with at most two jobs at the same time. */
async function made(): Promise<{ id: string; key: string }> {
  const body = { name: `Account ${Math.random()}`, jobsAtOnce: 2 };
  const { account, apiKey } = await (await send('POST', '/v1/operator/accounts', { key: OPERATOR_KEY, body })).json();
  return { id: account.id, key: apiKey };
}

test('bounds the uploads of an account that wait for their file or its check, and no others', async () => {
  const { id, key } = await made();
  const upload = (): Promise<TestResponse> =>
    send('POST', '/v1/uploads', { key, body: { source: { url: 'https://example.com/photo.jpg' } } });
  await storedUpload(gateway, { accountId: id, status: 'UPLOAD_FINISHED' });
  await storedUpload(gateway, { accountId: id, status: 'UPLOAD_PENDING' });
  expect((await upload()).status).toBe(202);
  const refused = await upload();
  expect([refused.status, (await refused.json()).detail]).toEqual([
    429,
    'At most 2 uploads of the account may wait for a file or its check at the same time, and 2 do.',
  ]);
  expect(refused.headers.get('retry-after')).toBe('30');
  const other = await made();
  expect(
    (await send('POST', '/v1/uploads', { key: other.key, body: { source: { url: 'https://example.com/photo.jpg' } } }))
      .status,
  ).toBe(202);
});
