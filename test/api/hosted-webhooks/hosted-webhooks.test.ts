import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { testGateway, type TestGateway, type TestResponse } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

const TOKEN = 'a-token-of-the-tests-01';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HEADER = 'x-viesus-cloud-signature';
const policy = { fallback: 'none', fallbackAfterMs: 1, lostAnswer: 'hold' } as const;

let gateway: TestGateway;
let unsigned: TestGateway;
let eventNumber = 0;

beforeAll(async () => {
  const hosted = { policy, webhookToken: TOKEN, webhookSecret: SECRET, signatureHeader: HEADER };
  gateway = await testGateway({ hosted });
  unsigned = await testGateway({ hosted: { ...hosted, webhookSecret: null } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await unsigned[Symbol.asyncDispose]();
});
beforeEach(() => {
  gateway.temporal.signals.length = 0;
});

const eventOf = (data: object, event = 'enhanced_image.status_update') =>
  JSON.stringify({ id: `evt_${(eventNumber += 1)}`, event, data, created: new Date().toISOString(), more: [1] });
const hex = (body: string, secret = SECRET): string => createHmac('sha256', secret).update(body).digest('hex');

function send(body: string, headers: Record<string, string> = { [HEADER]: hex(body) }, token = TOKEN) {
  return gateway.fetch(`/webhooks/hosted/${token}`, { method: 'POST', body, headers, key: null });
}

async function bound(kind: 'upload' | 'enhancement', remoteId: string, subjectId: string): Promise<void> {
  const { id: accountId } = gateway.account;
  await gateway.records.hostedIds.bind({ kind, remoteId, subjectId, accountId, via: null, transferred: true });
}

describe('an event of the hosted service', () => {
  test('wakes the workflow of its enhancement', async () => {
    const upload = await storedUpload(gateway, { provider: 'hosted' });
    const enhancement = await storedEnhancement(gateway, upload, { remoteId: 'r-enh' });
    await bound('enhancement', 'r-enh', enhancement.id);
    await bound('upload', 'r-upl', 'upl_ours');
    expect((await send(eventOf({ id: 'r-enh', status: 'FINISHED' }))).status).toBe(204);
    expect((await send(eventOf({ id: 'r-upl' }, 'upload.sub_status_update'))).status).toBe(204);
    expect(gateway.temporal.signals).toEqual([
      `hostedEvent ${uploadWorkflowId(upload.id)}`,
      `hostedEvent ${uploadWorkflowId('upl_ours')}`,
    ]);
  });

  test('is ignored if it was received before', async () => {
    const upload = await storedUpload(gateway, { provider: 'hosted' });
    const enhancement = await storedEnhancement(gateway, upload, { remoteId: 'r-twice' });
    await bound('enhancement', 'r-twice', enhancement.id);
    const body = eventOf({ id: 'r-twice' });
    expect((await send(body)).status).toBe(204);
    expect((await send(body)).status).toBe(204);
    expect(gateway.temporal.signals).toHaveLength(1);
  });

  test.each([
    ['of an unknown kind', () => eventOf({ id: 'r-new' }, 'something.new')],
    ['of an unknown id', () => eventOf({ id: 'r-nobody' })],
    ['without data', () => JSON.stringify({ id: 'evt_bare' })],
    ['with ids that are none', () => eventOf({ id: 'a b\n', uploadId: { $ne: null } })],
    ['without an id', () => JSON.stringify({ event: 'x', data: { id: 'r-without' } })],
    ['with everything of another form', () => JSON.stringify({ id: {}, event: 7, data: 'text' })],
    ['with a null in its text', () => eventOf({ id: 'r-null', text: 'a\u0000b' })],
  ])('%s is accepted', async (_what, body) => {
    expect((await send(body())).status).toBe(204);
    expect(gateway.temporal.signals).toEqual([]);
  });

  test('with an id that is unknown yet is found later', async () => {
    const since = Date.now() - 1_000;
    await send(eventOf({ id: 'r-early', uploadId: 'r-upload' }));
    expect(await gateway.records.hostedEvents.unboundEnhancements('r-upload', since)).toContainEqual({
      remoteId: 'r-early',
      saysUpload: true,
    });
  });

  test('about an unknown enhancement of a known upload wakes every enhancement that may be meant', async () => {
    const upload = await storedUpload(gateway, { provider: 'hosted' });
    await bound('upload', 'r-lost-upload', upload.id);
    const waiting = await storedEnhancement(gateway, upload);
    await storedEnhancement(gateway, upload, { remoteId: 'r-known' });
    await storedEnhancement(gateway, upload, { status: 'ERROR' });
    await send(eventOf({ id: 'r-lost', uploadId: 'r-lost-upload' }));
    expect(gateway.temporal.signals).toEqual([`hostedEvent ${uploadWorkflowId(waiting.uploadId)}`]);
  });

  test('is accepted up to one megabyte', async () => {
    const large = eventOf({ id: 'r-large', text: 'x'.repeat(900_000) });
    expect((await send(large)).status).toBe(204);
    const tooLarge = eventOf({ id: 'r-larger', text: 'x'.repeat(1_000_000) });
    expect((await send(tooLarge)).status).toBe(400);
  });

  describe('with a hex signature, which does not cover the time of sending,', () => {
    const DAY_MS = 86_400_000;
    const at = (created: unknown): string => JSON.stringify({ id: `evt_${(eventNumber += 1)}`, event: 'x', created });
    const ago = (ms: number): string => at(new Date(Date.now() - ms).toISOString());

    test.each([
      ['older than a day', () => ago(DAY_MS + 1_000)],
      ['of last year, in another time zone', () => at('2020-01-01T00:00:00.000+02:00')],
      ['from the future', () => ago(-6 * 60_000)],
    ])('%s is refused despite its valid signature', async (_what, body) => {
      const response = await send(body());
      expect(response.status).toBe(403);
      expect((await response.json()).detail).toContain('older than a day, or from the future');
    });

    test.each([
      ['almost a day old', () => ago(DAY_MS - 60_000)],
      ['by a clock that is ahead', () => ago(-4 * 60_000)],
      ['without a time', () => at(undefined)],
      ['with a time of another form', () => at('yesterday')],
    ])('%s is accepted', async (_what, body) => {
      expect((await send(body())).status).toBe(204);
    });
  });

  test('of any age is accepted if Standard Webhooks signs its time', async () => {
    const body = JSON.stringify({ id: 'evt_sent_again', event: 'x', created: '2020-01-01T00:00:00.000Z' });
    const now = new Date();
    const signature = new Webhook(SECRET).sign('msg_again', now, body);
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const headers = { 'webhook-id': 'msg_again', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    expect((await send(body, headers)).status).toBe(204);
  });

  test.each([['{'], [''], ['[]'], ['"text"'], ['null']])('that is %j is refused', async (body) => {
    expect((await send(body)).status).toBe(400);
  });

  test('that could not be passed on is accepted when it is sent again', async () => {
    const upload = await storedUpload(gateway, { provider: 'hosted' });
    const enhancement = await storedEnhancement(gateway, upload, { remoteId: 'r-again' });
    await bound('enhancement', 'r-again', enhancement.id);
    const body = eventOf({ id: 'r-again' });
    const { workflow } = gateway.temporal.client;
    const { getHandle } = workflow;
    workflow.getHandle = () => {
      throw new Error('away');
    };
    const refused = await send(body).finally(() => (workflow.getHandle = getHandle));
    expect(refused.status).toBe(500);
    expect((await send(body)).status).toBe(204);
    expect(gateway.temporal.signals).toHaveLength(1);
  });
});

describe('the signature of a hosted event', () => {
  const refused = async (answer: TestResponse): Promise<void> => {
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  };

  test('is required', async () => {
    await refused(await send(eventOf({ id: 'r' }), {}));
  });

  test.each([
    ['with another secret', (body: string) => hex(body, 'another secret')],
    ['of another body', (body: string) => hex(`${body} `)],
    ['cut short', (body: string) => hex(body).slice(0, 10)],
    ['that is empty', () => ''],
    ['with something behind it', (body: string) => `${hex(body)}00`],
  ])('%s is refused', async (_what, sign) => {
    const body = eventOf({ id: 'r-forged' });
    await refused(await send(body, { [HEADER]: sign(body) }));
    expect(gateway.temporal.signals).toEqual([]);
  });

  test('may be in capitals and may have its algorithm as a prefix', async () => {
    const [first, second] = [eventOf({ id: 'r' }), eventOf({ id: 'r' })];
    expect((await send(first, { [HEADER]: hex(first).toUpperCase() })).status).toBe(204);
    expect((await send(second, { [HEADER]: `sha256=${hex(second)}` })).status).toBe(204);
  });

  test('may follow Standard Webhooks', async () => {
    const body = eventOf({ id: 'r' });
    const signed = (id: string, at: Date, secret = SECRET) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    });
    const now = new Date();
    await refused(await send(body, signed('msg', now, `whsec_${Buffer.from('another').toString('base64')}`)));
    await refused(await send(body, signed('msg', new Date(now.getTime() - 600_000))));
    await refused(await send(body, { ...signed('msg', now), 'webhook-id': 'other' }));
    expect((await send(body, signed('msg', now))).status).toBe(204);
  });

  test('in the configured header takes precedence over another one', async () => {
    const body = eventOf({ id: 'r' });
    const now = new Date();
    await refused(
      await send(body, {
        [HEADER]: hex('other'),
        'webhook-id': 'msg',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(SECRET).sign('msg', now, body),
      }),
    );
  });

  test('is optional if no secret is configured', async () => {
    const sent = await unsigned.fetch(`/webhooks/hosted/${TOKEN}`, { method: 'POST', body: '{}', key: null });
    expect(sent.status).toBe(204);
  });
});

describe('the address for hosted events', () => {
  test('is not found with another token', async () => {
    for (const token of ['wrong', `${TOKEN}x`, TOKEN.slice(0, -1), '%00', '%F0%9F']) {
      const body = eventOf({ id: 'r' });
      const { status } = await send(body, { [HEADER]: hex(body) }, token);
      expect([400, 404]).toContain(status);
    }
  });

  test('is not found if hosted webhooks are off', async () => {
    await using none = await testGateway();
    const { status } = await none.fetch(`/webhooks/hosted/${TOKEN}`, { method: 'POST', body: '{}', key: null });
    expect(status).toBe(404);
  });

  test('never shows its token in the log', async () => {
    await send(eventOf({ id: 'r' }));
    expect(gateway.logged()).toContain('/webhooks/hosted/…');
    expect(gateway.logged()).not.toContain(TOKEN);
  });
});

describe('an upload with a provider', () => {
  const order = (order: object, to = gateway) =>
    to.fetch('/v1/uploads', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ source: { url: 'https://example.com/photo.jpg' }, ...order }),
    });
  const lastStart = () => gateway.temporal.starts.at(-1)!.options.args[0];

  test('reports its provider and its fallback', async () => {
    const answer = await order({ provider: 'HOSTED', fallback: 'LOCAL' });
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ provider: 'HOSTED' });
    expect(lastStart()).toMatchObject({
      initial: { provider: 'hosted', remoteId: null },
      hosted: { ...policy, fallback: 'local' },
    });
    await order({ provider: 'HOSTED' });
    expect(lastStart().hosted).toEqual(policy);
    await order({});
    expect(lastStart()).not.toHaveProperty('hosted');
    expect(lastStart().initial.provider).toBe('local');
  });

  test('can be created in GraphQL too', async () => {
    const query = `mutation { createUploadFromUrl(input: { url: "https://example.com/p.jpg", provider: HOSTED, fallback: NONE }) { provider } }`;
    const answer = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(await answer.json()).toEqual({ data: { createUploadFromUrl: { provider: 'HOSTED' } } });
    expect(lastStart().hosted).toEqual(policy);
  });

  test('can be created with a file in a form', async () => {
    const answer = await gateway.fetch('/v1/uploads?provider=HOSTED&fallback=LOCAL', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(30_000)]),
    });
    expect(answer.status).toBe(202);
    expect(lastStart().hosted).toEqual({ ...policy, fallback: 'local' });
  });

  test.each([
    [{ provider: 'hosted' }, 'provider'],
    [{ provider: 'LOCAL', fallback: 'LOCAL' }, 'fallback'],
    [{ fallback: 'LOCAL' }, 'fallback'],
    [{ provider: 'HOSTED', fallback: 'SOMEBODY' }, 'fallback'],
  ])('is refused with %j', async (given, field) => {
    const answer = await order(given);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'BAD_USER_INPUT', field });
  });

  test('is refused for the hosted service if none is configured', async () => {
    await using none = await testGateway();
    const answer = await order({ provider: 'HOSTED' }, none);
    expect(await answer.json()).toMatchObject({ code: 'BAD_USER_INPUT', field: 'provider' });
  });
});
