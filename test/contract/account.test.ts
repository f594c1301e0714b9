import { describe, expect, test } from '@jest/globals';
import { photo, picture } from '../e2e/files.ts';
import { until } from '../support/until.ts';
import { isSignedBy } from '../e2e/webhook-receiver.ts';
import { type Answer, startService } from './service.ts';
import { useForFile } from '../support/use-for.ts';

const service = useForFile(() => startService({ creditsPerPeriod: 20 }));

const CREDITS =
  '{ credits { remainingCreditsThisPeriod usedCreditsThisPeriod reservedCreditsThisPeriod periodStart periodEnd } }';
const BY_URL =
  'mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id retentionDays } }';
const ENHANCE =
  'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id status } }';

async function begin(name: string, file: Buffer): Promise<Answer> {
  service.files.set(name, file);
  const { createUploadFromUrl } = await service.send(BY_URL, { input: { url: `${service.filesUrl}/${name}` } });
  return createUploadFromUrl;
}

async function uploaded(name: string, seed: number): Promise<string> {
  const { id } = await begin(name, await photo(seed));
  await service.uploaded(id);
  return id as string;
}

/** The enhancement once it is in this state. */
const reached = (id: string, status: string): Promise<true> =>
  until(async () => {
    const { enhancedImage } = await service.send('query ($id: ID!) { enhancedImage(id: $id) { status } }', { id });
    return enhancedImage.status === status ? true : undefined;
  });

describe('credits', () => {
  test('are charged once for each enhancement, by the dearest feature of an image, and not for an equal one', async () => {
    const { credits: before } = await service.send(CREDITS);
    expect(before).toMatchObject({ remainingCreditsThisPeriod: 20, usedCreditsThisPeriod: 0 });
    expect([before.periodStart, before.periodEnd].map((time: string) => time.slice(7))).toEqual(
      Array(2).fill('-01T00:00:00.000Z'),
    );
    const id = await uploaded('charged.jpg', 1);
    const input = { mode: 'ENHANCE', upscalingFactor: 'X2', noiseReductionProfilingMode: 'AUTO' };
    for (let time = 0; time < 2; time += 1) {
      const { createEnhancedImage } = await service.send(ENHANCE, { id, input });
      expect((await service.enhanced(createEnhancedImage.id)).status).toBe('FINISHED');
      const { credits } = await service.send(CREDITS);
      expect(credits).toMatchObject({
        remainingCreditsThisPeriod: 16,
        usedCreditsThisPeriod: 4,
        reservedCreditsThisPeriod: 0,
      });
    }
  });

  test('that do not suffice make an enhancement wait, or fail at once if it must not wait', async () => {
    const id = await uploaded('poor.jpg', 2);
    const dear = (sharpening: number) => ({ id, input: { upscalingFactor: 'X2', sharpening } });
    const ids: string[] = [];
    // 16 credits are left: four times 4.
    for (let i = 0; i < 4; i += 1) ids.push((await service.send(ENHANCE, dear(i / 10))).createEnhancedImage.id);
    await Promise.all(ids.map((each) => service.enhanced(each)));
    const { createEnhancedImage: waiting } = await service.send(ENHANCE, dear(0.9));
    await reached(waiting.id, 'AWAITING_CREDITS');
    const { createEnhancedImage: failing } = await service.send(ENHANCE, {
      id,
      input: { upscalingFactor: 'X4', creditWait: 0 },
    });
    expect(await service.enhanced(failing.id)).toMatchObject({ status: 'ERROR', errorCode: 'INSUFFICIENT_CREDITS' });
    const { cancelEnhancement } = await service.send('mutation ($id: ID!) { cancelEnhancement(id: $id) { status } }', {
      id: waiting.id,
    });
    expect(cancelEnhancement.status).toBe('CANCELLED');
  });

  test('above maxCredits wait for approval, and a rejection ends the enhancement', async () => {
    const id = await uploaded('reviewed.jpg', 3);
    const input = { mode: 'VIVID', maxCredits: 0 };
    const { createEnhancedImage: asked } = await service.send(ENHANCE, { id, input });
    await reached(asked.id, 'AWAITING_APPROVAL');
    await service.send('mutation ($id: ID!) { rejectEnhancement(id: $id) { id } }', { id: asked.id });
    expect(await service.enhanced(asked.id)).toMatchObject({ status: 'ERROR', errorCode: 'APPROVAL_REJECTED' });
    const { createEnhancedImage: again } = await service.send(ENHANCE, {
      id,
      input: { mode: 'OFF', sharpening: 0.3, maxCredits: 0 },
    });
    expect((await service.enhanced(again.id)).status).toBe('FINISHED');
    expect(await service.refused('mutation ($id: ID!) { approveEnhancement(id: $id) { id } }', { id: again.id })).toBe(
      'CONFLICT',
    );
  });
});

describe('API keys', () => {
  test('are created with a name, shown once, valid at once, and refused within a second of their deletion', async () => {
    const { createApiKey } = await service.send('mutation { createApiKey(name: "Staging") { key apiKey { id } } }');
    const headers = { 'x-api-key': createApiKey.key as string };
    expect((await service.send(CREDITS, {}, headers)).credits).toBeDefined();
    const { apiKeys } = await service.send('{ apiKeys { id name prefix lastUsedAt } }');
    const shown = apiKeys.find(({ id }: { id: string }) => id === createApiKey.apiKey.id);
    expect(shown).toMatchObject({ name: 'Staging', lastUsedAt: expect.any(String) });
    expect(JSON.stringify(apiKeys)).not.toContain(createApiKey.key);
    await service.send('mutation ($id: ID!) { deleteApiKey(id: $id) { deletedId } }', { id: createApiKey.apiKey.id });
    expect(await service.refused(CREDITS, {}, headers)).toBe('UNAUTHENTICATED');
  });

  test('are required: without one the status is 200 for JSON and 401 for the other media type', async () => {
    const ask = (accept: string) =>
      fetch(`${service.instance.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: accept },
        body: JSON.stringify({ query: CREDITS }),
      });
    const plain = await ask('application/json');
    expect([plain.status, ((await plain.json()) as Answer).errors[0].extensions.code]).toEqual([
      200,
      'UNAUTHENTICATED',
    ]);
    expect((await ask('application/graphql-response+json')).status).toBe(401);
  });
});

describe('retention and deletion', () => {
  test('a change of the retention applies to new uploads only', async () => {
    const old = await begin('old.jpg', await photo(4));
    const { updateFileRetention } = await service.send(
      'mutation { updateFileRetention(days: 7) { uploadRetentionDays } }',
    );
    expect(updateFileRetention).toEqual({ uploadRetentionDays: 7 });
    const young = await begin('young.jpg', await photo(5));
    const { upload } = await service.send('query ($id: ID!) { upload(id: $id) { retentionDays } }', { id: old.id });
    expect([upload.retentionDays, young.retentionDays]).toEqual([30, 7]);
  });

  test('a deletion removes original and results at once, cancels running work, and skips unknown ids', async () => {
    // Large enough that its enhancement takes seconds, and runs when the deletion comes.
    const { id } = await begin('deleted.jpg', await picture(6000, 4000, { seed: 6 }).jpeg({ quality: 80 }).toBuffer());
    const { url } = await service.uploaded(id);
    const { createEnhancedImage } = await service.send(ENHANCE, { id, input: { mode: 'OFF', sharpening: 0.5 } });
    await reached(createEnhancedImage.id, 'PROCESSING');
    const unknown = `upl_${'7'.repeat(26)}`;
    const { deleteUploads } = await service.send(
      'mutation ($ids: [ID!]!) { deleteUploads(ids: $ids) { deletedUploadIds } }',
      {
        ids: [id, unknown],
      },
    );
    expect(deleteUploads).toEqual({ deletedUploadIds: [id] });
    const { upload } = await service.send(
      'query ($id: ID!) { upload(id: $id) { status deletedAt deletionReason url } }',
      { id },
    );
    expect(upload).toMatchObject({
      status: 'UPLOAD_DELETED',
      deletedAt: expect.any(String),
      deletionReason: 'user',
      url: null,
    });
    expect((await fetch(url as string)).status).toBe(404);
    expect(await service.enhanced(createEnhancedImage.id)).toMatchObject({ status: 'CANCELLED', fullUrl: null });
    expect(await service.refused(ENHANCE, { id, input: {} })).toBe('NOT_FOUND');
  });

  test('a deletion leaves a finished enhancement with its status and the time at which its result was deleted', async () => {
    const id = await uploaded('finished-then-deleted.jpg', 9);
    const { createEnhancedImage } = await service.send(ENHANCE, { id, input: { mode: 'OFF', sharpening: 0.4 } });
    await service.enhanced(createEnhancedImage.id);
    const { url, apiKey } = service.instance;
    const shown = async () => {
      const { enhancedImage, upload } = await service.send(
        'query ($id: ID!, $upload: ID!) { enhancedImage(id: $id) { status fullUrl filename deletedAt } upload(id: $upload) { deletedAt enhancedImages { deletedAt } } }',
        { id: createEnhancedImage.id, upload: id },
      );
      const read = async (path: string): Promise<Answer> =>
        (await fetch(url + path, { headers: { 'x-api-key': apiKey } })).json();
      const one = await read(`/v1/enhancements/${createEnhancedImage.id}`);
      const { items } = await read('/v1/enhancements?limit=1');
      const { enhancements } = await read(`/v1/uploads/${id}`);
      const times = [one, items[0], enhancements[0], upload.enhancedImages[0], upload];
      return { enhancedImage, times: times.map(({ deletedAt }: Answer) => deletedAt), fullUrl: one.fullUrl };
    };
    expect(await shown()).toMatchObject({
      enhancedImage: { status: 'FINISHED', fullUrl: expect.any(String), deletedAt: null },
      times: Array(5).fill(null),
    });
    await service.send('mutation ($ids: [ID!]!) { deleteUploads(ids: $ids) { deletedUploadIds } }', { ids: [id] });
    const { enhancedImage, times, fullUrl } = await shown();
    expect(enhancedImage).toEqual({
      status: 'FINISHED',
      fullUrl: null,
      filename: null,
      deletedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect([fullUrl, ...times]).toEqual([null, ...Array(5).fill(enhancedImage.deletedAt)]);
  });
});

describe('registered webhooks', () => {
  test('receive all events of the account, signed with their own secret, and the log can send an event again', async () => {
    const url = `${service.receiver.url}/endpoint`;
    const { createWebhook } = await service.send(
      'mutation ($url: String!) { createWebhook(url: $url, events: ["upload.status_update", "upload.deleted"]) { secret webhook { id events } } }',
      { url },
    );
    const { secret, webhook } = createWebhook;
    const id = await uploaded('heard.jpg', 7);
    const received = await service.receiver.received(
      ({ event, data }) => event === 'upload.status_update' && data['id'] === id,
    );
    expect(isSignedBy(secret, received)).toBe(true);

    const logged = await until(async () => {
      const { webhookDeliveries } = await service.send(
        'query ($id: ID) { webhookDeliveries(webhookId: $id) { nodes { id event eventId status attempts { number httpStatus outcome } } } }',
        { id: webhook.id },
      );
      return webhookDeliveries.nodes.find(({ status }: { status: string }) => status === 'DELIVERED');
    });
    expect(logged).toMatchObject({
      event: 'upload.status_update',
      eventId: received.event.id,
      attempts: [{ number: 1, httpStatus: 204, outcome: 'delivered' }],
    });

    const { rotateWebhookSecret } = await service.send(
      'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }',
      { id: webhook.id },
    );
    const { redeliverWebhook } = await service.send(
      'mutation ($id: ID!) { redeliverWebhook(id: $id) { id redeliveryOf } }',
      { id: logged.id },
    );
    expect(redeliverWebhook.redeliveryOf).toBe(logged.id);
    const again = await until(
      () => service.receiver.deliveries.filter(({ event }) => event.id === received.event.id)[1],
    );
    // Both secrets are good while they change.
    expect([isSignedBy(secret, again), isSignedBy(rotateWebhookSecret.secret, again)]).toEqual([true, true]);

    await service.send('mutation ($ids: [ID!]!) { deleteUploads(ids: $ids) { deletedUploadIds } }', { ids: [id] });
    const deleted = await service.receiver.received(
      ({ event, data }) => event === 'upload.deleted' && data['id'] === id,
    );
    expect(deleted.event.data).toMatchObject({
      id,
      status: 'UPLOAD_DELETED',
      reason: 'user',
      deletedAt: expect.any(String),
    });

    await service.send('mutation ($id: ID!) { deleteWebhook(id: $id) { deletedId } }', { id: webhook.id });
    expect((await service.send('{ webhooks { id } }')).webhooks).toEqual([]);
    expect(await service.refused('mutation ($id: ID!) { redeliverWebhook(id: $id) { id } }', { id: logged.id })).toBe(
      'BAD_USER_INPUT',
    );
  });
});

describe('an Idempotency-Key', () => {
  test('makes a change once, and is refused for another change', async () => {
    service.files.set('once.jpg', await photo(8));
    const input = { url: `${service.filesUrl}/once.jpg` };
    const key = { 'Idempotency-Key': 'order-4711' };
    const [first, second] = await Promise.all([
      service.send(BY_URL, { input }, key),
      service.send(BY_URL, { input }, key),
    ]);
    expect(second).toEqual(first);
    const other = { url: `${service.filesUrl}/other.jpg` };
    expect(await service.refused(BY_URL, { input: other }, key)).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('lists', () => {
  test('return the uploads and enhancements of the account, newest first, in pages', async () => {
    const { uploads } = await service.send(
      '{ uploads(first: 2) { nodes { id createdAt } pageInfo { endCursor hasNextPage } } }',
    );
    expect(uploads.pageInfo.hasNextPage).toBe(true);
    const rest = await service.send(
      'query ($after: String) { uploads(first: 100, after: $after) { nodes { id createdAt } } }',
      {
        after: uploads.pageInfo.endCursor,
      },
    );
    const times = [...uploads.nodes, ...rest.uploads.nodes].map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    const { enhancedImages } = await service.send(
      '{ enhancedImages(first: 100) { nodes { uploadId upload { id } } } }',
    );
    expect(enhancedImages.nodes.length).toBeGreaterThan(5);
    for (const { uploadId, upload } of enhancedImages.nodes) expect(upload.id).toBe(uploadId);
  });
});

test('the version query returns the versions', async () => {
  const { version } = await service.send('{ version { version engineVersion } }');
  expect(version).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    engineVersion: expect.stringMatching(/^12/),
  });
});

test('the schema browser and all of its files come from the instance', async () => {
  const page = await (await fetch(`${service.instance.url}/graphiql`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
  expect(files).toHaveLength(4);
  const workers = ['editor', 'json', 'graphql'].map((name) => `/graphiql/${name}.worker.js`);
  for (const path of [...files, ...workers]) {
    const { status, headers } = await fetch(service.instance.url + path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, expect.stringMatching(/javascript|css/)]);
  }
});
