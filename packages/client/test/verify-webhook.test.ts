import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { verifyWebhook } from '../src/verify-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = JSON.stringify({
  id: 'evt_1',
  event: 'webhook.test',
  data: { webhookId: 'whk_1', message: 'Hello' },
  created: '',
});

/** Signed as Standard Webhooks describes it, with Node.js in place of a library. */
function sign({ body = BODY, at = Date.now(), key = Buffer.alloc(32, 7) } = {}): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

test('verifyWebhook returns the event of a request of fetch, and of one with a raw body', async () => {
  const request = new Request('http://localhost/hook', { method: 'POST', headers: sign(), body: BODY });
  expect(await verifyWebhook(request, SECRET)).toEqual(JSON.parse(BODY));
  expect(await verifyWebhook({ headers: sign(), body: Buffer.from(BODY) }, SECRET)).toEqual(JSON.parse(BODY));
});

test.each([
  ['another secret', { headers: sign({ key: Buffer.alloc(32, 8) }), body: BODY }],
  ['a changed body', { headers: sign(), body: BODY.replace('Hello', 'Hullo') }],
  ['an old signature', { headers: sign({ at: Date.now() - 6 * 60_000 }), body: BODY }],
  ['no signature', { headers: {}, body: BODY }],
  ['a parsed body', { headers: sign(), body: JSON.parse(BODY) as string }],
])('verifyWebhook refuses %s', async (_case, request) => {
  await expect(verifyWebhook(request, SECRET)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
});

test('verifyWebhook names the clock for an old signature, and not the secret', async () => {
  const request = { headers: sign({ at: Date.now() - 6 * 60_000 }), body: BODY };
  await expect(verifyWebhook(request, SECRET)).rejects.toThrow(/older than five minutes.*clock/);
});

test('verifyWebhook refuses a request whose body has been read', async () => {
  const request = new Request('http://localhost/hook', { method: 'POST', headers: sign(), body: BODY });
  await request.text();
  await expect(verifyWebhook(request, SECRET)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
});

test('verifyWebhook names a missing secret, as of an environment variable', async () => {
  const secret = undefined as unknown as string;
  await expect(verifyWebhook({ headers: sign(), body: BODY }, secret)).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  });
});
