import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { WebhookWithSecret } from '@burnish/client';
import type { UploadRepresentation } from '@burnish/contract';
import { signatureKind } from '../../src/api/hosted-webhooks/signature.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { type Delivered, type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;
let instance: SharedInstance;

beforeAll(async () => {
  [receiver, instance] = await Promise.all([webhookReceiver(), sharedInstance()]);
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** What a receiver made for the public service knows, and nothing else. */
const publicEvent = z.strictObject({
  id: z.string(),
  event: z.enum(['upload.status_update', 'upload.sub_status_update']),
  data: z.strictObject({
    id: z.string(),
    status: z.string(),
    subStatus: z.string().nullable(),
    filesize: z.int(),
    mimetype: z.string(),
    originalFilename: z.string(),
    filename: z.string(),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime(),
    duration: z.int(),
    metadata: z.looseObject({ statistics: z.looseObject({}), totalCredits: z.number() }).nullable(),
  }),
  created: z.iso.datetime(),
});

/** The data of an event, as such a receiver takes it. @throws for a wrong signature or an unknown field */
function takePublicly({ text, headers }: Delivered, secret: string): z.output<typeof publicEvent>['data'] {
  const header = 'x-viesus-cloud-signature';
  expect(signatureKind(Buffer.from(text), headers, secret, header)).toBe('hex');
  return publicEvent.parse(JSON.parse(text)).data;
}

const about = (id: string, kind: string) => receiver.received(({ event, data }) => event === kind && data['id'] === id);

test('an endpoint of the format PUBLIC gets the data of the public service, until its format changes', async () => {
  const { api } = instance;
  const events = ['upload.status_update', 'upload.sub_status_update'];
  const order = { url: `${receiver.url}/public`, events, format: 'PUBLIC' };
  const { body: endpoint } = await api.call<WebhookWithSecret>('POST', '/v1/webhooks', { body: order });
  expect(endpoint).toMatchObject({ format: 'PUBLIC', events });

  const image = await api.upload(await photo(31), { reference: 'order-1', filename: 'cat.jpg' });
  const shown = takePublicly(await about(image.body.id, 'upload.status_update'), endpoint.secret!);
  const pdf = await api.upload(await pdfWithPhoto(400, 300, 6), { filename: 'book.pdf' });
  const analyzed = takePublicly(await about(pdf.body.id, 'upload.sub_status_update'), endpoint.secret!);
  for (const [data, { id }] of [
    [shown, image.body],
    [analyzed, pdf.body],
  ] as const) {
    const { body: record } = await api.get<UploadRepresentation>(`/v1/uploads/${id}`);
    const { filesize, mimetype, originalFilename, filename, startedAt, finishedAt, duration, metadata } = record;
    const facts = { filesize, mimetype, originalFilename, filename, startedAt, finishedAt, duration, metadata };
    expect(data).toEqual({ id, status: record.status, subStatus: record.subStatus, ...facts });
  }
  expect([shown.originalFilename, analyzed.originalFilename]).toEqual(['cat.jpg', 'book.pdf']);

  await api.call('PATCH', `/v1/webhooks/${endpoint.id}`, { body: { format: 'BURNISH' } });
  const later = await api.upload(await photo(32), { reference: 'order-2' });
  const { event, headers } = await about(later.body.id, 'upload.status_update');
  expect(Object.keys(event.data).toSorted()).toEqual(
    ['errorCode', 'id', 'metadata', 'reference', 'status', 'subStatus'].toSorted(),
  );
  expect(headers['x-viesus-cloud-signature']).toBeUndefined();
});
