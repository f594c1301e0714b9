import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Upload } from 'tus-js-client';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { startS3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { paddedPdf } from './files.ts';
import { freePorts, startInstance } from './instance.ts';

const MB = 1_000_000;

interface Storage extends AsyncDisposable {
  env: Record<string, string>;
}
const onDisk = async (): Promise<Storage> => ({ env: {}, async [Symbol.asyncDispose]() {} });
async function inS3(): Promise<Storage> {
  const s3 = await startS3Server();
  const env = { ...s3.env, BURNISH_STORAGE: `s3://${await s3.createBucket()}` };
  return { env, [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose]() };
}

test.each([
  ['on disk', onDisk],
  ['in S3', inS3],
])(
  'a resumable upload %s survives cuts and kill -9 of its instance, and keeps each byte of a known offset',
  async (_where, open) => {
    await using folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    await using storage = await open();
    const shared = { dataDir: folder.path, ports: await freePorts(), env: storage.env };
    await using first = await startInstance(shared);
    await using proxy = await cuttingProxy({ port: () => shared.ports.gateway, cutAfter: () => 30 * MB });
    const file = await paddedPdf(120 * MB);

    let sending: Upload | undefined;
    const received = new Promise<string>((resolve, reject) => {
      sending = new Upload(file, {
        endpoint: `${proxy.url}/v1/tus`,
        headers: { 'x-api-key': first.apiKey },
        metadata: { filename: 'long.pdf', enhancements: '[{}]' },
        retryDelays: Array.from({ length: 200 }, () => 250),
        onError: reject,
        onSuccess: () => resolve(new URL(sending!.url!).pathname.split('/').at(-1)!),
      });
      sending.start();
    });
    received.catch(() => undefined);
    const offset = async (): Promise<number | undefined> => {
      if (!sending?.url) return undefined;
      const headers = { 'Tus-Resumable': '1.0.0', 'x-api-key': first.apiKey };
      const address = first.url + new URL(sending.url).pathname;
      const response = await fetch(address, { method: 'HEAD', headers }).catch(() => undefined);
      return response?.ok === true ? Number(response.headers.get('upload-offset')) : undefined;
    };
    const known = await until(async () => {
      const at = (await offset()) ?? 0;
      return at > 40 * MB ? at : undefined;
    });
    expect(known).toBeLessThan(file.byteLength);
    await first.killTree();

    await using second = await startInstance({ ...shared, apiKey: first.apiKey });
    expect(await until(offset)).toBeGreaterThanOrEqual(known);
    const id = await received;
    expect(proxy.cuts).toBeGreaterThan(1);
    const record = await second.api.settled(id);
    expect(record).toMatchObject({
      filesize: file.byteLength,
      mimetype: 'application/pdf',
      originalFilename: 'long.pdf',
    });
    expect(record.enhancements).toMatchObject([{ status: 'FINISHED' }]);
    const original = Buffer.from(await (await fetch(record.url!)).arrayBuffer());
    const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    expect(hash(original)).toBe(hash(file));
    expect(await second.stop()).toBe(0);
  },
  180_000,
);
