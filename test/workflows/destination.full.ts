import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, it } from '@jest/globals';
import { destinationUrls } from '../../src/database/schema/destination-urls.ts';
import { cancelEnhancement, deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../support/gate.ts';
import { startS3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import { startReceiver } from './receiver.ts';
import { destinationReaches } from './destination-scenario.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { useForFile } from '../support/use-for.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 1000, putTimeoutMs: 4_000 });
const s3 = useForFile(() => startS3Server());

const reaches = (id: string, status: 'DELIVERED' | 'FAILED') => destinationReaches(lifecycle, id, status);
const credentials = () => ({
  accessKeyId: s3.env['AWS_ACCESS_KEY_ID']!,
  secretAccessKey: s3.env['AWS_SECRET_ACCESS_KEY']!,
});

async function presigned(key: string, expiresIn = 600): Promise<{ url: string; path: string }> {
  const bucket = await s3.createBucket();
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: credentials(),
  });
  const put = new PutObjectCommand({ Bucket: bucket, Key: key });
  const signingDate = expiresIn < 0 ? new Date(Date.now() - 3_600_000) : new Date();
  const url = await getSignedUrl(client, put, { expiresIn: Math.abs(expiresIn), signingDate });
  client.destroy();
  return { url, path: join(s3.folderOf(bucket), key) };
}

/** Registers a bucket under a name, and returns the folder of its prefix. */
async function registered(name: string, more: object = {}): Promise<string> {
  const bucket = await s3.createBucket();
  const place = { accountId: lifecycle.account.id, name, bucket, prefix: 'below', region: 'us-east-1' };
  await lifecycle.stores.buckets.create({ ...place, endpoint: s3.endpoint, ...more }, credentials());
  return join(s3.folderOf(bucket), 'below');
}

async function storedResult(id: string): Promise<Buffer> {
  const { result } = (await lifecycle.findEnhancement(id))!;
  const chunks: Buffer[] = [];
  for await (const chunk of await lifecycle.store.get(result!.objectKey)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const eventsOf = async (enhancementId: string): Promise<unknown[]> => {
  const { rows } = await lifecycle.database.orm.execute<{ data: { id: string; destination: unknown } }>(
    `select data from webhook_events order by created, data -> 'destination' ->> 'status' desc`,
  );
  return rows.filter(({ data }) => data.id === enhancementId).map(({ data }) => data.destination);
};

describe('the destination of a result', () => {
  it('at a presigned address gets the bytes of the stored result, and the address is deleted', async () => {
    const { url, path } = await presigned('results/photo.jpg');
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ destination: { url } }] });
    const { status, destination } = await reaches(enhancementIds[0]!, 'DELIVERED');
    expect(status).toBe('FINISHED');
    expect(destination).toMatchObject({ url: new URL(url).origin, bucket: null, errorCode: null });
    expect(await readFile(path)).toEqual(await storedResult(enhancementIds[0]!));
    expect(await lifecycle.stores.destinationUrls.get(enhancementIds[0]!)).toBeUndefined();
  });

  it('in a bucket gets the result under the key with its name', async () => {
    const folder = await registered('results');
    const destination = { bucket: 'results', key: 'out/{uploadId}/{name}' };
    const { id, enhancementIds } = await lifecycle.start({ enhancements: [{ destination }] });
    const finished = await reaches(enhancementIds[0]!, 'DELIVERED');
    const key = `out/${id}/${finished.result!.filename}`;
    expect(finished.destination).toMatchObject({ bucket: 'results', key });
    expect(await readFile(join(folder, key))).toEqual(await storedResult(enhancementIds[0]!));
  });

  it('that answers 500 and then 200 waits meanwhile, and the result is there from the start', async () => {
    await using receiver = await startReceiver([500, 500, 200]);
    const before = await lifecycle.balance();
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ destination: { url: receiver.url } }] });
    const id = enhancementIds[0]!;
    const early = await lifecycle.enhancementReaches(id, 'FINISHED');
    expect(early).toMatchObject({ chargedCredits: 1, destination: { status: 'PENDING' } });
    expect(await lifecycle.resultExists(id)).toBe(true);
    expect(await reaches(id, 'DELIVERED')).toMatchObject({ status: 'FINISHED', waitingFor: null, chargedCredits: 1 });
    expect(receiver.requests).toHaveLength(3);
    expect(receiver.requests.every(({ body }) => body === receiver.requests[0]!.body)).toBe(true);
    expect((await lifecycle.balance()).used).toBe(before.used + 1);
  });

  it('that accepts the bytes and never answers is left, and gets them again later', async () => {
    const answers = createGate();
    await using receiver = await startReceiver([200], answers.opened);
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ destination: { url: receiver.url } }] });
    const id = enhancementIds[0]!;
    await until(
      () => lifecycle.findEnhancement(id),
      ({ waitingFor }) => waitingFor === 'destination',
    );
    answers.open();
    expect(await reaches(id, 'DELIVERED')).toMatchObject({ status: 'FINISHED', waitingFor: null, chargedCredits: 1 });
    expect(receiver.requests.length).toBeGreaterThan(1);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  });

  it.each([
    ['of Azure says that the bytes are a whole blob', 'sv=2024-11-04&sr=b&sig=abc', 'BlockBlob'],
    ['of another service gets no header that its signature lacks', 'X-Amz-Signature=abc', undefined],
  ])('at an address %s', async (_what, query, type) => {
    await using receiver = await startReceiver([201]);
    const destination = { url: `${receiver.url}?${query}` };
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ destination }] });
    await reaches(enhancementIds[0]!, 'DELIVERED');
    expect(receiver.requests.map(({ headers }) => headers['x-ms-blob-type'])).toEqual([type]);
  });

  it('that refuses fails with its status at once, and changes neither result nor charge', async () => {
    await using receiver = await startReceiver([403]);
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ destination: { url: receiver.url } }] });
    const failed = await reaches(enhancementIds[0]!, 'FAILED');
    expect(failed).toMatchObject({ status: 'FINISHED', errorCode: null, chargedCredits: 1 });
    expect(failed.destination).toMatchObject({
      errorCode: 'DESTINATION_REFUSED',
      errorDetail: 'The destination answered with status 403. The address may have expired.',
    });
    expect(receiver.requests).toHaveLength(1);
    expect(await lifecycle.resultExists(enhancementIds[0]!)).toBe(true);
  });

  it('that has ended is told to the webhook of the upload', async () => {
    await using receiver = await startReceiver([403]);
    await using hook = await startReceiver([200]);
    const { enhancementIds } = await lifecycle.start({
      enhancements: [{ destination: { url: receiver.url } }],
      webhookUrl: hook.url,
    });
    await reaches(enhancementIds[0]!, 'FAILED');
    const told = await until(() => hook.requests.find(({ body }) => body.includes('"DESTINATION_REFUSED"')));
    expect(JSON.parse(told.body)).toMatchObject({ data: { id: enhancementIds[0], destination: { status: 'FAILED' } } });
  });

  it('with an expired signature, or in a bucket that was removed, fails with the reason', async () => {
    const { url } = await presigned('late.jpg', -60);
    await registered('gone');
    const isRemoved = createGate();
    lifecycle.provider.script = { enhance: () => isRemoved.opened };
    const { enhancementIds } = await lifecycle.start({
      enhancements: [
        { destination: { url } },
        { destination: { bucket: 'gone', key: '{name}' }, parameters: { sharpening: 0.1 } },
      ],
    });
    await lifecycle.stores.buckets.remove(lifecycle.account.id, 'gone');
    isRemoved.open();
    const outcomes = await Promise.all(enhancementIds.map((id) => reaches(id, 'FAILED')));
    expect(outcomes.map(({ destination }) => destination?.errorCode)).toEqual(
      Array.from({ length: 2 }, () => 'DESTINATION_REFUSED'),
    );
    expect(outcomes[1]!.destination!.errorDetail).toBe('The operator has removed the bucket gone.');
  });

  it('in a private network is refused at the time of the request, too', async () => {
    const destination = { url: 'http://10.0.0.1:9999/x?secret=s' };
    const { enhancementIds } = await lifecycle.start({ enhancements: [{ destination }] });
    expect((await reaches(enhancementIds[0]!, 'FAILED')).destination).toMatchObject({
      errorCode: 'DESTINATION_REFUSED',
      errorDetail: expect.stringMatching(/^The URL leads to a private network\. .*BURNISH_ALLOWED_PRIVATE_HOSTS/),
    });
  });

  it('that is away for a day fails with DESTINATION_UNAVAILABLE, and says what it waited for', async () => {
    await using receiver = await startReceiver([503]);
    const { enhancementIds, handle } = await lifecycle.start({
      enhancements: [{ destination: { url: receiver.url } }],
    });
    const id = enhancementIds[0]!;
    const early = await lifecycle.enhancementReaches(id, 'FINISHED');
    await lifecycle.passTime('1 h');
    expect(await lifecycle.findEnhancement(id)).toMatchObject({ status: 'FINISHED', waitingFor: 'destination' });
    const failed = await reaches(id, 'FAILED');
    expect(failed).toMatchObject({ status: 'FINISHED', waitingFor: null });
    expect(failed.destination).toMatchObject({ errorCode: 'DESTINATION_UNAVAILABLE' });
    expect((await lifecycle.env.currentTimeMs()) - Date.parse(early.finishedAt!)).toBeGreaterThan(23 * 3_600_000);
    expect(receiver.requests.length).toBeGreaterThan(20);
    expect(receiver.requests.length).toBeLessThan(100);
    await handle.executeUpdate(deleteUpload);
  }, 180_000);

  it.each(['cancelled', 'deleted', 'expired'])(
    'of an upload that is %s gets no further attempt',
    async (how) => {
      await using receiver = await startReceiver([503]);
      const { id, handle } = await lifecycle.start({ retentionDays: 1 });
      await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
      // The retention ends between two attempts: the time-skipping server loses a task that cancels a timer as it fires.
      await lifecycle.passTime('330 min');
      const enhancementId = await lifecycle.order(id, { destination: { url: receiver.url } });
      // It loses a command, too, that comes at the moment when an activity ends.
      await lifecycle.timeBrings(enhancementId, ({ waitingFor }) => waitingFor === 'destination');
      if (how === 'cancelled') await lifecycle.command(cancelEnhancement, enhancementId);
      else if (how === 'deleted') await handle.executeUpdate(deleteUpload);
      const ended = await reaches(enhancementId, 'FAILED');
      expect(ended.status).toBe('FINISHED');
      expect(ended.destination!.errorCode).toBe('DESTINATION_CANCELLED');
      const { length } = receiver.requests;
      await lifecycle.passTime('2 h');
      expect(receiver.requests).toHaveLength(length);
      const objects = (await lifecycle.filesOf(id)).filter((name) => name.endsWith('.object'));
      expect(objects).toHaveLength(how === 'cancelled' ? 2 : 0);
      expect(await lifecycle.stores.destinationUrls.get(enhancementId)).toBeUndefined();
    },
    180_000,
  );

  it('gets nothing from an enhancement that fails', async () => {
    await using receiver = await startReceiver([200]);
    const { enhancementIds } = await lifecycle.start({
      enhancements: [{ destination: { url: receiver.url }, creditWaitMs: 0, parameters: { sharpening: 0.3 } }],
      mimetype: 'application/pdf',
    });
    const ended = await lifecycle.settled(enhancementIds[0]!);
    expect(ended).toMatchObject({
      status: 'ERROR',
      destination: { status: 'FAILED', errorCode: 'DESTINATION_CANCELLED' },
    });
    expect(receiver.requests).toEqual([]);
  });

  it('appears in two events: that of the end, and that of its outcome', async () => {
    const url = 'http://127.0.0.1:9/hook';
    await lifecycle.stores.webhookEndpoints.create(lifecycle.account.id, {
      url,
      events: ['enhanced_image.status_update'],
    });
    await using receiver = await startReceiver([200]);
    const { enhancementIds } = await lifecycle.start({
      enhancements: [{ destination: { url: `${receiver.url}?secret=s` } }],
    });
    await reaches(enhancementIds[0]!, 'DELIVERED');
    expect(await eventsOf(enhancementIds[0]!)).toMatchObject([
      { status: 'PENDING', url: new URL(receiver.url).origin },
      { status: 'DELIVERED', url: new URL(receiver.url).origin },
    ]);
  });

  it('leaves its secret neither in the history, nor in records, events or the log', async () => {
    await using receiver = await startReceiver([500, 403]);
    const secret = 'the-signature-of-this-address';
    const destination = { url: `${receiver.url}?X-Amz-Signature=${secret}` };
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{ destination }] });
    expect(JSON.stringify(await lifecycle.database.orm.select().from(destinationUrls))).not.toContain(secret);
    await reaches(enhancementIds[0]!, 'FAILED');
    const history = JSON.stringify(await handle.fetchHistory()).replaceAll(/"data":"([^"]+)"/g, (_, payload: string) =>
      Buffer.from(payload, 'base64').toString(),
    );
    expect(history).toContain(new URL(receiver.url).origin);
    expect(history).not.toContain(receiver.url);
    const changes = await lifecycle.stores.changes.listSince(lifecycle.account.id, id, 0, 100);
    for (const place of [
      history,
      JSON.stringify(changes),
      JSON.stringify(await eventsOf(enhancementIds[0]!)),
      lifecycle.problems.join('\n'),
    ]) {
      expect(place).not.toContain(secret);
    }
  });
});
