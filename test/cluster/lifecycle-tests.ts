import { beforeAll, describe, expect, test } from '@jest/globals';
import type { UploadRecord } from '../e2e/api.ts';
import { readEvents } from '../e2e/events.ts';
import { pdfWithPhoto, photo } from '../e2e/files.ts';
import { until } from '../support/until.ts';
import { isSignedBy, type WebhookReceiver } from '../e2e/webhook-receiver.ts';
import { startChromium } from '../support/chromium.ts';
import type { Cluster, GatewayMember, WholeCluster } from './cluster.ts';
import { announce, complete, put } from './signed-put.ts';

/** Tests a cluster from the view of a caller. @param opened returns the running cluster and the webhook receiver */
export function lifecycleTests(opened: () => WholeCluster & { receiver: WebhookReceiver }): void {
  describe('a cluster', () => {
    let receiver: WebhookReceiver;
    let cluster: Cluster;
    let a: GatewayMember;
    let b: GatewayMember;
    beforeAll(() => {
      ({
        receiver,
        cluster,
        gateways: [a, b],
      } = opened());
    });

    test('an upload to one gateway can be followed, read and downloaded at the other, and sends its webhooks', async () => {
      const file = await photo(1);
      const order = { enhancements: [{ upscalingFactor: 'X2' }], webhookUrl: `${receiver.url}/hook` };
      const { status, body } = await a.api.upload(file, order);
      expect(status).toBe(202);
      const events: string[] = [];
      for await (const { event, data } of readEvents(
        `${b.url}/v1/uploads/${body.id}/events?until=settled`,
        cluster.apiKey,
      )) {
        if (event !== 'progress') events.push(String(data['status'] ?? event));
      }
      expect(events.slice(-2)).toEqual(['FINISHED', 'end']);

      const [enhanced] = (await b.api.settled(body.id)).enhancements;
      expect(enhanced).toMatchObject({ status: 'FINISHED', width: 800, height: 600, chargedCredits: 4 });
      const path = new URL(enhanced!.fullUrl!);
      const [whole, part] = await Promise.all([
        fetch(`${a.url}${path.pathname}${path.search}`),
        fetch(`${b.url}${path.pathname}${path.search}`, { headers: { range: 'bytes=100-199' } }),
      ]);
      const bytes = Buffer.from(await whole.arrayBuffer());
      expect(whole.headers.get('content-disposition')).toContain('attachment');
      expect(bytes.byteLength).toBe(enhanced!.filesize);
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(100, 200));
      const told = await receiver.received(({ data }) => data['id'] === enhanced!.id);
      expect(isSignedBy(cluster.webhookSecret, told)).toBe(true);
    });

    test('an idempotency key and a deleted API key are respected by every gateway', async () => {
      const file = await photo(2);
      const headers = { 'idempotency-key': 'the same at both' };
      const answers = await Promise.all([a.api.upload(file, {}, headers), b.api.upload(file, {}, headers)]);
      expect(answers[0].body.id).toBe(answers[1].body.id);

      const { body } = await a.api.call<{ id: string; key: string }>('POST', '/v1/api-keys', {
        body: { name: 'short' },
      });
      const asked = (): Promise<Response> => fetch(`${b.url}/v1/credits`, { headers: { 'x-api-key': body.key } });
      expect((await asked()).status).toBe(200);
      await fetch(`${a.url}/v1/api-keys/${body.id}`, { method: 'DELETE', headers: { 'x-api-key': cluster.apiKey } });
      await until(async () => ((await asked()).status === 401 ? true : undefined));
    });

    test.each([
      ['image/jpeg', () => photo(3)],
      ['application/pdf', () => pdfWithPhoto()],
    ])('a file of type %s is sent straight to storage and enhanced', async (mimetype, make) => {
      const file = await make();
      const { id, uploadUrl } = await announce(a.api, file, mimetype);
      expect(new URL(uploadUrl).origin).toBe(cluster.s3.endpoint);
      expect(await complete(b.api, id)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
      expect(await put(uploadUrl, file, mimetype)).toBe(200);
      const completed = await complete(b.api, id);
      expect(completed.body).toMatchObject({ status: 'UPLOAD_FINISHED', mimetype, filesize: file.byteLength });
      const [enhanced] = (await b.api.settled(id)).enhancements;
      expect(enhanced).toMatchObject({ status: 'FINISHED', mimetype });
      // The signed address still accepts a file, but the original stays the same.
      expect(await put(uploadUrl, Buffer.alloc(file.byteLength), mimetype)).toBe(200);
      const original = await fetch((await a.api.get<UploadRecord>(`/v1/uploads/${id}`)).body.url!);
      expect(Buffer.from(await original.arrayBuffer())).toEqual(file);
    });

    test('storage refuses another length, type, key or time than the signed one', async () => {
      const file = await photo(4);
      const { id, uploadUrl } = await announce(a.api, file, 'image/jpeg');
      const altered = (change: (url: URL) => void): URL => {
        const url = new URL(uploadUrl);
        change(url);
        return url;
      };
      const later = altered((url) => url.searchParams.set('X-Amz-Expires', '604800'));
      const elsewhere = altered((url) => (url.pathname = url.pathname.replace('incoming', 'original')));
      const unsigned = altered((url) => (url.search = ''));
      for (const [url, body, type] of [
        [uploadUrl, Buffer.concat([file, Buffer.alloc(1)]), 'image/jpeg'],
        [uploadUrl, file.subarray(1), 'image/jpeg'],
        [uploadUrl, file, 'image/png'],
        [later, file, 'image/jpeg'],
        [elsewhere, file, 'image/jpeg'],
        [unsigned, file, 'image/jpeg'],
      ] as const) {
        expect(await put(url, body, type)).toBe(403);
      }
      expect((await complete(b.api, id)).status).toBe(409);
      expect(await put(uploadUrl, file, 'image/jpeg')).toBe(200);
      expect((await complete(b.api, id)).body.status).toBe('UPLOAD_FINISHED');
    });

    test('a file whose content differs from its declaration fails at completion', async () => {
      const file = await photo(5);
      const { id, uploadUrl } = await announce(a.api, file, 'image/png');
      expect(await put(uploadUrl, file, 'image/png')).toBe(200);
      expect((await complete(b.api, id)).body).toMatchObject({ status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH' });
      expect((await cluster.files()).filter((path) => path.includes(id))).toEqual([]);
    });

    test('the dashboard sends a large file in parts, over any gateway', async () => {
      const browser = await startChromium();
      try {
        const context = await browser.newContext({ baseURL: cluster.url });
        await context.request.post('/session', { data: { apiKey: cluster.apiKey } });
        const page = await context.newPage();
        const sent = new Set<string>();
        page.on('request', (request) => {
          if (/PUT|PATCH/.test(request.method())) sent.add(`${request.method()} ${new URL(request.url()).origin}`);
        });
        await page.goto('/');
        const buffer = Buffer.concat([await photo(8), Buffer.alloc(17_000_000)]);
        await page.getByLabel('Images and PDFs').setInputFiles({ name: 'large.jpg', mimeType: 'image/jpeg', buffer });
        await page.getByText('Ready to enhance').waitFor();
        expect(sent).toEqual(new Set([`PATCH ${cluster.url}`]));
      } finally {
        await browser.close();
      }
    });

    test('GraphQL at one gateway reads records that REST created at the other', async () => {
      const { body } = await a.api.upload(await photo(6), {});
      await a.api.settled(body.id);
      const send = async (
        query: string,
        variables: object,
      ): Promise<Record<string, { id: string; status: string }>> => {
        const { body } = await b.api.call<{ data: Record<string, { id: string; status: string }> }>(
          'POST',
          '/graphql',
          {
            body: { query, variables },
          },
        );
        return body.data;
      };
      const mutation = 'mutation ($id: ID!) { createEnhancedImage(uploadId: $id, input: {}) { id status } }';
      const { createEnhancedImage: made } = await send(mutation, { id: body.id });
      expect(await a.api.reached(made!.id, 'FINISHED')).toMatchObject({ status: 'FINISHED', uploadId: body.id });
      const { upload } = await send('query ($id: ID!) { upload(id: $id) { id status } }', { id: body.id });
      expect(upload).toEqual({ id: body.id, status: 'UPLOAD_FINISHED' });
    });

    test('the bucket is empty after all uploads are deleted', async () => {
      const { items } = (await b.api.get<{ items: UploadRecord[] }>('/v1/uploads?limit=100')).body;
      const living = items.filter(({ status }) => status !== 'UPLOAD_DELETED');
      expect(living.length).toBeGreaterThan(5);
      expect(await cluster.files()).not.toEqual([]);
      for (const { id } of living) await a.api.call('DELETE', `/v1/uploads/${id}`);
      await until(async () => ((await cluster.files()).length === 0 ? true : undefined));
    });
  });
}
