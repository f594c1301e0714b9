import { request } from 'node:http';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import type { TestGateway, TestResponse } from '../support/gateway.ts';

export type Headers = Record<string, string>;
interface Sent {
  headers?: Headers;
  body?: Buffer | Readable;
  key?: string | null;
}

/** Requests of tus to a gateway. */
export function tusRequests(gateway: TestGateway) {
  function send(method: string, path: string, { headers = {}, body, key }: Sent = {}): Promise<TestResponse> {
    const content = Buffer.isBuffer(body) ? new Uint8Array(body) : body && (Readable.toWeb(body) as ReadableStream);
    return gateway.fetch(path, {
      method,
      headers: { 'Tus-Resumable': '1.0.0', ...headers },
      ...(content === undefined ? {} : { body: content, duplex: 'half' }),
      ...(key === undefined ? {} : { key }),
    });
  }
  const metadata = (pairs: Record<string, string>): string =>
    Object.entries(pairs)
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(',');
  const create = (length: number | string, pairs: Record<string, string> = {}, headers: Headers = {}) =>
    send('POST', '/v1/tus', {
      headers: { 'Upload-Length': String(length), 'Upload-Metadata': metadata(pairs), ...headers },
    });
  async function begin(length: number, pairs?: Record<string, string>): Promise<string> {
    const response = await create(length, pairs);
    expect(response.status).toBe(201);
    return response.headers.get('location')!;
  }
  const patch = (path: string, offset: number | string, body: Buffer | Readable, headers: Headers = {}) =>
    send('PATCH', path, {
      body,
      headers: { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset), ...headers },
    });
  async function offsetOf(path: string): Promise<number> {
    const response = await send('HEAD', path);
    expect(response.status).toBe(200);
    return Number(response.headers.get('upload-offset'));
  }
  const idIn = (path: string): string => path.split('/').at(-1)!;
  const signalTo = (path: string): string => `partsComplete upload/${idIn(path)}`;

  async function storedBytes(path: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (const { objectKey } of await gateway.records.uploadParts.list(idIn(path)))
      pieces.push(Buffer.concat((await (await gateway.storage.get(objectKey)).toArray()) as Buffer[]));
    return Buffer.concat(pieces);
  }

  /** The status and the problem of a refusal, which names the version of tus too. */
  async function refusal(response: TestResponse): Promise<{ status: number; code: string; field?: string }> {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    const { status, code, field, detail, remedy } = await response.json();
    expect(status).toBe(response.status);
    expect([detail, remedy]).not.toContain('');
    return { status, code, ...(field === undefined ? {} : { field }) };
  }

  /** A PATCH whose connection ends after the given bytes. */
  function cutPatch(path: string, offset: number, body: Buffer, after: number, headers: Headers = {}): Promise<void> {
    return new Promise((resolve) => {
      const sending = request(`${gateway.url}${path}`, {
        method: 'PATCH',
        headers: {
          'x-api-key': gateway.key,
          'Tus-Resumable': '1.0.0',
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
          'Content-Length': String(body.byteLength),
          ...headers,
        },
      });
      sending.on('error', () => undefined).on('close', resolve);
      // Destroyed some time after the bytes are written, so that the gateway has read them.
      sending.write(body.subarray(0, after), () => setTimeout(() => sending.destroy(), 200));
    });
  }

  return { send, metadata, create, begin, patch, offsetOf, idIn, signalTo, storedBytes, refusal, cutPatch };
}
