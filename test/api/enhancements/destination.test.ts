import { describe, expect, test } from '@jest/globals';
import { uploadStarts } from '../../../src/database/schema/upload-starts.ts';
import { graphql } from '../graphql/support.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const SECRET = 'X-Amz-Signature=a-signature-to-keep';
const PUT_URL = `https://bucket.example.com/results/one.jpg?${SECRET}`;
const PENDING = { status: 'PENDING', errorCode: null, errorDetail: null, deliveredAt: null };

async function registered(name: string): Promise<void> {
  if (await gateway.records.buckets.has(gateway.account.id, name)) return;
  const place = { accountId: gateway.account.id, name, bucket: 'abc', prefix: '', region: 'us-east-1' };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  await gateway.records.buckets.create({ ...place, endpoint: 'https://s3.example.com' }, credentials);
}

const fromUrl = (enhancement: object, more: object = {}) =>
  send('POST', '/v1/uploads', {
    body: { source: { url: 'https://example.com/photo.jpg' }, enhancements: [enhancement], ...more },
  });

describe('an order with a destination', () => {
  test('shows its address without the query, and keeps the rest encrypted', async () => {
    const response = await fromUrl({ destination: { url: PUT_URL } });
    const made = await response.json();
    expect(response.status).toBe(202);
    const [enhancement] = made.enhancements;
    const shown = { url: 'https://bucket.example.com', bucket: null, key: null, ...PENDING };
    expect(enhancement.destination).toEqual(shown);
    expect((await (await send('GET', `/v1/enhancements/${enhancement.id}`)).json()).destination).toEqual(shown);
    expect(await gateway.records.destinationUrls.get(enhancement.id)).toBe(PUT_URL);
    const starts = JSON.stringify(await gateway.database.orm.select().from(uploadStarts));
    const workflows = JSON.stringify(gateway.temporal);
    for (const place of [JSON.stringify(made), starts, workflows, gateway.logged()])
      expect(place).not.toContain(SECRET);
  });

  test('of an existing upload gives the workflow the destination without its secret', async () => {
    const upload = await storedUpload(gateway);
    await send('POST', `/v1/uploads/${upload.id}/enhancements`, {
      body: { enhancements: [{ destination: { url: PUT_URL } }] },
    });
    expect(JSON.stringify(gateway.temporal)).not.toContain(SECRET);
    expect(gateway.logged()).not.toContain(SECRET);
  });

  test('fills in the key of a bucket, up to the name of the result', async () => {
    await registered('results');
    const key = 'orders/{reference}/{enhancementId}/{name}';
    const response = await fromUrl({ destination: { bucket: 'results', key }, reference: 'a/../b' });
    const [{ id, destination }] = (await response.json()).enhancements;
    expect(destination).toEqual({ url: null, bucket: 'results', key: `orders/a_.._b/${id}/{name}`, ...PENDING });
    const inherited = await fromUrl(
      { destination: { bucket: 'results', key: '{reference}' } },
      { reference: 'order-1' },
    );
    expect((await inherited.json()).enhancements[0].destination.key).toBe('order-1');
  });

  test.each([
    [{ url: 'http://169.254.169.254/latest' }, 422, 'enhancements[0].destination.url'],
    [{ url: 'https://localhost/x' }, 422, 'enhancements[0].destination.url'],
    [{ bucket: 'unknown', key: '{name}' }, 400, 'enhancements[0].destination.bucket'],
    [{ bucket: 'results', key: '{reference}/{name}' }, 400, 'enhancements[0].destination.key'],
    [{ bucket: 'results', key: '../{name}' }, 400, 'enhancements[0].destination.key'],
    [{ bucket: 'results', key: '/{name}' }, 400, 'enhancements[0].destination.key'],
    [{ bucket: 'results', key: 'a/{owner}' }, 400, 'enhancements[0].destination.key'],
    [{ bucket: 'results', key: 'a'.repeat(501) }, 400, 'enhancements[0].destination.key'],
    [{ bucket: 'results' }, 400, 'enhancements[0].destination'],
    [{ url: PUT_URL, bucket: 'results', key: '{name}' }, 400, 'enhancements[0].destination'],
  ])('is refused for %j', async (destination, status, field) => {
    await registered('results');
    const response = await fromUrl({ destination });
    const problem = await response.json();
    expect([response.status, problem.field]).toEqual([status, field]);
  });

  test('is refused for a reference that is a folder by itself', async () => {
    await registered('results');
    const response = await fromUrl({ destination: { bucket: 'results', key: '{reference}/x' }, reference: '..' });
    expect((await response.json()).field).toBe('enhancements[0].destination.key');
  });

  test('is the same over GraphQL', async () => {
    const answer = await graphql(
      gateway,
      `
        mutation ($input: CreateUploadFromUrlInput!) {
          createUploadFromUrl(input: $input) {
            enhancedImages {
              destination {
                url
                bucket
                key
                status
                errorCode
              }
            }
          }
        }
      `,
      { variables: { input: { url: 'https://example.com/a.jpg', enhancements: [{ destination: { url: PUT_URL } }] } } },
    );
    const [image] = (answer.data as { createUploadFromUrl: { enhancedImages: { destination: object }[] } })
      .createUploadFromUrl.enhancedImages;
    expect(image!.destination).toMatchObject({ url: 'https://bucket.example.com', status: 'PENDING' });
  });
});
