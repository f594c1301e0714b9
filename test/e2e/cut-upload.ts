import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { Upload } from 'tus-js-client';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { until } from '../support/until.ts';
import { paddedPdf } from './files.ts';
import type { Instance } from './instance.ts';

const MB = 1_000_000;

export interface CutUpload extends AsyncDisposable {
  /** Expects that the instance, started again, has each byte of before, and finishes the upload. */
  expectWhole(instance: Instance): Promise<void>;
}

/** Sends a long file over connections that are cut every 30 MB, and returns once a third of it has arrived. */
export async function cutUpload(first: Instance): Promise<CutUpload> {
  const proxy = await cuttingProxy({ port: () => first.ports.gateway, cutAfter: () => 30 * MB });
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
  return {
    async expectWhole({ api }) {
      expect(await until(offset)).toBeGreaterThanOrEqual(known);
      const id = await received;
      expect(proxy.cuts).toBeGreaterThan(1);
      const record = await api.settled(id);
      expect(record).toMatchObject({
        filesize: file.byteLength,
        mimetype: 'application/pdf',
        originalFilename: 'long.pdf',
      });
      expect(record.enhancements).toMatchObject([{ status: 'FINISHED' }]);
      const original = Buffer.from(await (await fetch(record.url!)).arrayBuffer());
      const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
      expect(hash(original)).toBe(hash(file));
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
