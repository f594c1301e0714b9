import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ApiKeyWithSecretRepresentation,
  type EnhancementRepresentation,
  EVENT_KINDS,
  FAILURE_CODES,
  type FailureCode,
  MACHINERY,
} from '@burnish/contract';
import { poll } from '../support/poll.ts';
import { until } from '../support/until.ts';
import { type Api, createApi, type Problem, type UploadRecord } from './api.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

let instance: SharedInstance;
let receiver: WebhookReceiver;
let api: Api;
let testApi: Api;
let testKey: ApiKeyWithSecretRepresentation;

beforeAll(async () => {
  [instance, receiver] = await Promise.all([sharedInstance(), webhookReceiver()]);
  api = instance.api;
  const body = { name: 'CI', test: true };
  testKey = (await api.call<ApiKeyWithSecretRepresentation>('POST', '/v1/api-keys', { body })).body;
  testApi = createApi(instance.url, testKey.key!);
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
});

const SLOW = 60_000;
const order = async (reference: string, enhancements: object[] = [{}]) =>
  testApi.upload(await photo(1), { reference, enhancements });
const enhancementOf = ({ enhancements }: UploadRecord): EnhancementRepresentation => enhancements[0]!;

describe('a test key', () => {
  test('is marked, and belongs to a test account with records, credits and keys of its own', async () => {
    expect(testKey).toMatchObject({ test: true, key: expect.stringMatching(/^bk_test_[0-9A-Za-z]{43}$/) });
    expect(testKey.prefix).toMatch(/^bk_test_\w{4}$/);
    const names = async (by: Api) => {
      const { body } = await by.get<{ items: ApiKeyWithSecretRepresentation[] }>('/v1/api-keys');
      return body.items.map(({ name, test: isTest }) => [name, isTest]);
    };
    expect(await names(api)).toEqual([
      ['First key', false],
      ['CI', true],
    ]);
    expect(await names(testApi)).toEqual([['CI', true]]);
    const second = await testApi.call<ApiKeyWithSecretRepresentation>('POST', '/v1/api-keys', {
      body: { name: 'Two' },
    });
    expect(second.body).toMatchObject({ test: true });

    const before = await api.credits();
    const { body: upload } = await order('an order of a shop');
    const { enhancements } = await testApi.settled(upload.id);
    expect(enhancements).toMatchObject([{ status: 'FINISHED', provider: 'TEST', chargedCredits: 1, reusedFrom: null }]);
    expect((await api.get(`/v1/uploads/${upload.id}`)).status).toBe(404);
    expect(await api.credits()).toEqual(before);
    expect((await testApi.credits()).used).toBe(1);
    await fetch(`${instance.url}/v1/api-keys/${second.body.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': instance.apiKey },
    });
    expect((await createApi(instance.url, second.body.key!).get('/v1/credits')).status).toBe(401);
  });

  test('gets the same small result each time', async () => {
    const results = await Promise.all(
      [0, 1].map(async () => {
        const { body } = await order('same');
        const { fullUrl, filename } = enhancementOf(await testApi.settled(body.id));
        const answer = await fetch(fullUrl!);
        return { filename, type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) };
      }),
    );
    expect(results[0]).toMatchObject({ filename: expect.stringMatching(/\.webp$/), type: 'image/webp' });
    expect(results[0]!.bytes.length).toBeGreaterThan(500);
    expect(results[0]!.bytes.equals(results[1]!.bytes)).toBe(true);
    const pdf = await pdfWithPhoto();
    const { body } = await testApi.upload(pdf, { enhancements: [{}] });
    const done = enhancementOf(await testApi.settled(body.id));
    expect(done).toMatchObject({ status: 'FINISHED', provider: 'TEST' });
    expect(Buffer.from(await (await fetch(done.fullUrl!)).arrayBuffer()).equals(pdf)).toBe(true);
  });

  test('is refused for a reserved reference without a meaning, and alone has the provider TEST', async () => {
    const typo = await order('test:CORUPT_FILE');
    expect(typo).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT', field: 'reference' } });
    const live = await api.upload(await photo(2), { provider: 'TEST' });
    expect(live).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT', field: 'provider' } });
    const { body } = await api.upload(await photo(2), { reference: 'test:CORRUPT_FILE' });
    expect(await api.settled(body.id)).toMatchObject({ status: 'UPLOAD_FINISHED', provider: 'LOCAL' });
  });
});

const advance = (seconds: number, by = testApi) =>
  by.call<{ seconds: number }>('POST', '/v1/test/clock', { body: { seconds } });
const DAY = 86_400;

/** The code that a caller meets with this reference, and where. */
async function meet(code: FailureCode): Promise<[string, FailureCode | null]> {
  const concernsResult = code.startsWith('DESTINATION_') || code === 'RESULT_DAMAGED';
  const needed = concernsResult ? { destination: { url: 'https://example.com/result.webp' } } : {};
  const { status, body } = await order(`test:${code}`, [needed]);
  if (status >= 400) return [`request ${status}`, (body as unknown as Problem).code as FailureCode];
  if (code === 'DESTINATION_UNAVAILABLE') {
    const { id } = enhancementOf(body);
    const read = () => testApi.get<EnhancementRepresentation>(`/v1/enhancements/${id}`);
    await until(async () => ((await read()).body.waitingFor === 'destination' ? true : undefined));
    await advance(DAY);
  }
  const upload = await testApi.settled(body.id);
  if (upload.status === 'UPLOAD_FAILED') return ['upload', upload.errorCode];
  const { status: ended, errorCode, destination } = enhancementOf(upload);
  return destination === null ? [ended, errorCode] : ['destination', destination.errorCode];
}

describe('test references', () => {
  test(
    'cause each error code',
    async () => {
      const met = await Promise.all(FAILURE_CODES.map(meet));
      expect(met.map(([, code]) => code)).toEqual(FAILURE_CODES);
      expect(new Set(met.map(([where]) => where.split(' ')[0]))).toEqual(
        new Set(['request', 'upload', 'ERROR', 'destination']),
      );
    },
    SLOW,
  );

  test('of an enhancement or a PDF cause its failure alone', async () => {
    const { body: upload } = await order('mine', [{ reference: 'test:CORRUPT_FILE' }, {}]);
    const { status, enhancements } = await testApi.settled(upload.id);
    expect([status, ...enhancements.map(({ errorCode }) => errorCode)]).toEqual([
      'UPLOAD_FINISHED',
      'CORRUPT_FILE',
      null,
    ]);
    const refused = await testApi.call<Problem>('POST', `/v1/uploads/${upload.id}/enhancements`, {
      body: { enhancements: [{ reference: 'test:PDF_NOT_ANALYZED' }] },
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'PDF_NOT_ANALYZED' } });
    const { body: pdf } = await testApi.upload(await pdfWithPhoto(), { reference: 'test:ENCRYPTED_PDF' });
    expect(await testApi.settled(pdf.id)).toMatchObject({
      subStatus: 'METADATA_ANALYZED_FAILED',
      errorCode: 'ENCRYPTED_PDF',
    });
  });

  test.each(MACHINERY)('make an enhancement wait for the %s, and continue', async (part) => {
    const { body: upload } = await order(`test:wait-${part}`);
    const { id } = enhancementOf(upload);
    const seen = await until(async () => {
      const { body } = await testApi.get<EnhancementRepresentation>(`/v1/enhancements/${id}`);
      return body.waitingFor === part || body.status === 'FINISHED' ? body : undefined;
    });
    expect(seen.waitingFor).toBe(part);
    expect(await testApi.reached(id, 'FINISHED', 'ERROR')).toMatchObject({ status: 'FINISHED', waitingFor: null });
  });

  test('make an enhancement wait for approval or credits', async () => {
    const [approval, credits] = await Promise.all([order('test:wait-approval'), order('test:wait-credits')]);
    const { id } = enhancementOf(approval.body);
    expect(await testApi.reached(id, 'AWAITING_APPROVAL', 'FINISHED')).toMatchObject({ waitingFor: 'approval' });
    await testApi.call('POST', `/v1/enhancements/${id}/approve`);
    expect(await testApi.reached(id, 'FINISHED', 'ERROR')).toMatchObject({ status: 'FINISHED' });
    const waiting = enhancementOf(credits.body).id;
    expect(await testApi.reached(waiting, 'AWAITING_CREDITS', 'FINISHED')).toMatchObject({ waitingFor: 'credits' });
  });
});

describe('events of a test account', () => {
  test(
    'are all met',
    async () => {
      const endpoint = (events: readonly string[], path: string) =>
        testApi.call<{ id: string }>('POST', '/v1/webhooks', { body: { url: `${receiver.url}/${path}`, events } });
      await endpoint(['webhook.disabled'], 'notices');
      const doomed = await endpoint(['upload.status_update'], 'doomed');
      const { body: refused } = await order('test:delivery-410', []);
      await testApi.settled(refused.id);

      await endpoint(EVENT_KINDS, 'all');
      const { body: pdf } = await testApi.upload(await pdfWithPhoto(), {});
      const { body: gone } = await order('to be deleted');
      const { body: low } = await order('test:credits-low');
      await Promise.all([pdf, gone, low].map(({ id }) => testApi.settled(id)));
      await testApi.call('DELETE', `/v1/uploads/${gone.id}`);

      const { body: batch } = await testApi.call<{ id: string }>('POST', '/v1/batches', {
        body: { enhancements: [{}], samples: 1 },
      });
      const { body: photoOf } = await testApi.upload(await photo(3));
      await testApi.settled(photoOf.id);
      const lines = Array.from({ length: 11 }, (_, index) =>
        JSON.stringify({
          uploadId: photoOf.id,
          key: `${index}`,
          reference: index > 0 ? 'test:PROCESSING_LIMIT' : 'fine',
        }),
      );
      await testApi.call('POST', `/v1/batches/${batch.id}/items`, {
        body: Buffer.from(lines.join('\n')),
        headers: { 'content-type': 'application/x-ndjson' },
      });
      await testApi.call('POST', `/v1/batches/${batch.id}/close`);
      await receiver.received(({ event }) => event === 'batch.approval_needed');
      await testApi.call('POST', `/v1/batches/${batch.id}/approve`);

      const missing = () =>
        EVENT_KINDS.filter((kind) => receiver.deliveries.every(({ event }) => event.event !== kind));
      await poll(missing, { timeout: SLOW }).toEqual([]);
      // The reconciler sends it, half a minute later.
      const disabled = await receiver.received(({ event }) => event === 'webhook.disabled');
      expect(disabled.event.data).toMatchObject({ id: doomed.body.id, disabledReason: 'gone' });
    },
    2 * SLOW,
  );
});

describe('the clock of a test account', () => {
  test(
    'ends the waits for credits, for an approval, and the retention',
    async () => {
      expect(await advance(DAY, api)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      const statusOf = async (id: string) => (await testApi.get<UploadRecord>(`/v1/uploads/${id}`)).body;
      const declared = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' };
      const signed = await testApi.call<UploadRecord>('POST', '/v1/uploads/signed', { body: declared });
      const [credits, approval, kept] = await Promise.all([
        order('test:wait-credits'),
        order('test:wait-approval'),
        order('kept for 30 days', []),
      ]);
      const [paid, asked] = [enhancementOf(credits.body).id, enhancementOf(approval.body).id];
      await testApi.reached(paid, 'AWAITING_CREDITS', 'FINISHED');
      await testApi.reached(asked, 'AWAITING_APPROVAL', 'FINISHED');
      expect((await advance(900)).body).toEqual({ seconds: 900 });
      expect(await testApi.reached(paid, 'FINISHED', 'ERROR')).toMatchObject({ status: 'FINISHED' });
      expect(await statusOf(signed.body.id)).toMatchObject({ status: 'UPLOAD_PENDING' });
      await advance(7 * DAY);
      await poll(() => statusOf(signed.body.id)).toMatchObject({ errorCode: 'SIGNED_URL_EXPIRED' });
      expect(await testApi.reached(asked, 'FINISHED', 'ERROR')).toMatchObject({ errorCode: 'APPROVAL_REJECTED' });
      expect(await statusOf(kept.body.id)).toMatchObject({ status: 'UPLOAD_FINISHED' });
      await advance(23 * DAY);
      await poll(() => statusOf(kept.body.id)).toMatchObject({ status: 'UPLOAD_DELETED', deletionReason: 'retention' });
      const { body: later } = await order('begun later', []);
      expect(await testApi.settled(later.id)).toMatchObject({ status: 'UPLOAD_FINISHED' });
    },
    SLOW,
  );

  test(
    'makes ten attempts of a delivery in a moment, which the receiver can tell apart',
    async () => {
      const received = receiver.deliveries.length;
      const webhookUrl = `${receiver.url}/attempts`;
      const { body } = await testApi.upload(await photo(1), { reference: 'test:delivery-500', webhookUrl });
      interface Logged {
        url: string;
        status: string;
        attempts: { httpStatus: number }[];
      }
      const logged = async (): Promise<Logged | undefined> => {
        const { items } = (await testApi.get<{ items: Logged[] }>('/v1/webhook-deliveries?limit=100')).body;
        return items.find(({ url }) => url === webhookUrl);
      };
      await poll(async () => (await logged())?.attempts.length).toBe(1);
      await advance(DAY);
      await poll(logged, { timeout: SLOW }).toMatchObject({ status: 'FAILED' });
      expect((await logged())!.attempts.map(({ httpStatus }) => httpStatus)).toEqual(Array(10).fill(500));
      const requests = receiver.deliveries.slice(received).filter(({ event }) => event.data['id'] === body.id);
      const own = requests.filter(({ headers }) => headers['webhook-id'] === requests[0]!.headers['webhook-id']);
      expect(own.filter(({ status }) => status === 204).length).toBeGreaterThanOrEqual(10);
    },
    SLOW,
  );
});
