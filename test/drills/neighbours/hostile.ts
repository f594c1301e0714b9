import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { photo, picture } from '../../e2e/files.ts';
import { refusedLate } from '../../../packages/engine/test/pdf/hostile-files.ts';
import { listenHttp } from '../../support/local-server.ts';
import { createCaller, type HttpAnswer, type HttpCall } from './caller.ts';
import { readInput, runUntilEnd } from './program.ts';

/** A FREE account that does all that its key allows, at once and without an end. Each act counts its answers by status. */
export type ActCounts = Record<string, Record<string, number>>;

const { urls, apiKey } = await readInput<{ urls: string[]; apiKey: string }>();
const call = createCaller(urls, apiKey);
const counts: ActCounts = {};
const flat = await flatPicture();
const photograph = await picture(1600, 1200, { seed: 7 }).jpeg({ quality: 85 }).toBuffer();
const nested = refusedLate[0]![1]();
let serial = 0;
const unique = (file: Buffer): Buffer => Buffer.concat([file, Buffer.from(`hostile ${process.pid} ${serial++}`)]);

/** 100 megapixels of one colour, interlaced: slow to decode, and small. */
async function flatPicture(): Promise<Buffer> {
  const grey = { r: 120, g: 130, b: 140 };
  const image = sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: grey } });
  return await image.png({ progressive: true, compressionLevel: 6 }).toBuffer();
}

async function act(name: string, asked: HttpCall): Promise<HttpAnswer> {
  const answer = await call({ signal: AbortSignal.timeout(60_000), ...asked });
  const of = (counts[name] ??= {});
  of[answer.status] = (of[answer.status] ?? 0) + 1;
  return answer;
}

const uploadOf = async (name: string, file: Buffer, order = ''): Promise<string | undefined> => {
  const { body } = await act(name, { method: 'POST', path: `/v1/uploads${order}`, body: unique(file) });
  return body['id'] as string | undefined;
};

/** Runs work in parallel until the end; a refusal is followed by a short pause. */
async function crowd(signal: AbortSignal, size: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const one = async (index: number): Promise<void> => {
    while (!signal.aborted) {
      await work(index).catch(() => undefined);
      await pause(50);
    }
  };
  await Promise.all(Array.from({ length: size }, (_, index) => one(index)));
}

/** Sends a body, one byte every five seconds. */
function slowBody(path: string, method: string, more: Record<string, string>): Promise<void> {
  const { hostname, port } = new URL(urls[serial++ % urls.length]!);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const type = { 'content-type': 'application/octet-stream', 'content-length': '5000000' };
    const headers = { host: `${hostname}:${port}`, 'x-api-key': apiKey, ...type, ...more };
    const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 5_000);
    let answer = '';
    socket.on('data', (data) => (answer += data.toString('latin1')));
    const end = (): void => {
      clearInterval(drip);
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? '0';
      const of = (counts['slow bodies'] ??= {});
      of[status] = (of[status] ?? 0) + 1;
      socket.destroy();
      resolve();
    };
    socket.on('end', end).on('error', end);
  });
}

const TUS = { 'tus-resumable': '1.0.0' };

/** Parts that never grow: a resumable upload whose bytes arrive one by one. */
async function slowParts(): Promise<void> {
  const metadata = `filename ${Buffer.from('slow.jpg').toString('base64')}`;
  const headers = { ...TUS, 'upload-length': '5000000', 'upload-metadata': metadata };
  const url = new URL('/v1/tus', urls[0]);
  const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': apiKey, ...headers } });
  const location = response.headers.get('location');
  await response.arrayBuffer();
  if (location === null) return;
  const type = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  await slowBody(new URL(location, urls[0]).pathname, 'PATCH', type);
}

/** Sends the flat picture again and again, and deletes it at once every other time. */
async function flatPictures(index: number): Promise<void> {
  const id = await uploadOf('flat pictures', flat);
  if (id !== undefined && index % 2 === 0) await act('deletions', { method: 'DELETE', path: `/v1/uploads/${id}` });
}

async function parallelOrders(): Promise<void> {
  const id = await uploadOf('parallel orders', photograph);
  if (id === undefined) return;
  const path = `/v1/uploads/${id}/enhancements`;
  const order = (sharpening: number) =>
    act('parallel orders', { method: 'POST', path, body: { enhancements: [{ upscalingFactor: 'X2', sharpening }] } });
  await Promise.all(Array.from({ length: 60 }, (_, index) => order(index / 100)));
  await act('deletions', { method: 'DELETE', path: `/v1/uploads/${id}` });
}

async function previews(): Promise<void> {
  const id = await uploadOf('previews', flat);
  if (id === undefined) return;
  const look = (width: number) => act('previews', { path: `/v1/uploads/${id}/preview?width=${width}` });
  for (let round = 0; round < 10; round += 1) await Promise.all([320, 640, 1280, 1920].map(look));
  await act('deletions', { method: 'DELETE', path: `/v1/uploads/${id}` });
}

async function estimates(): Promise<void> {
  const id = await uploadOf('nested PDFs', nested);
  if (id === undefined) return;
  const body = { enhancements: [{ targetResolution: 300 }] };
  const ask = () => act('estimates', { method: 'POST', path: `/v1/uploads/${id}/estimate`, body });
  for (let round = 0; round < 10; round += 1) await Promise.all([ask(), ask(), ask()]);
}

async function batches(): Promise<void> {
  const created = await act('batches', {
    method: 'POST',
    path: '/v1/batches',
    body: { enhancements: [{}], samples: 0 },
  });
  const id = created.body['id'];
  if (typeof id !== 'string') return;
  const items = Array.from({ length: 1_000 }, (_, n) => JSON.stringify({ url: `${hanging.url}/${serial}/${n}.jpg` }));
  const headers = { 'content-type': 'application/x-ndjson' };
  await act('batches', {
    method: 'POST',
    path: `/v1/batches/${id}/items`,
    body: Buffer.from(items.join('\n')),
    headers,
  });
  await act('batches', { method: 'POST', path: `/v1/batches/${id}/close`, body: {} });
  await pause(20_000);
  await act('batches', { method: 'POST', path: `/v1/batches/${id}/cancel`, body: {} });
}

/** 200 uploads of a test key that wait for their files, and 40 advances of their clock at once. */
async function clocks(signal: AbortSignal): Promise<void> {
  const made = await act('clock', { method: 'POST', path: '/v1/api-keys', body: { name: 'test', test: true } });
  const test = createCaller(urls, made.body['key'] as string);
  const signed = { filename: 'late.jpg', filesize: 50_000, mimetype: 'image/jpeg' };
  for (let n = 0; n < 200 && !signal.aborted; n += 1)
    await test({ method: 'POST', path: '/v1/uploads/signed', body: signed });
  await crowd(signal, 40, async () => {
    const { status } = await test({ method: 'POST', path: '/v1/test/clock', body: { seconds: 1 } });
    const of = (counts['clock'] ??= {});
    of[status] = (of[status] ?? 0) + 1;
  });
}

const DEEP = `{${'upload(id: "upl_x") { enhancements { upload { '.repeat(30)} id ${'} } }'.repeat(30)} }`;
const WIDE = `{${Array.from({ length: 500 }, (_, n) => `a${n}: credits { remainingCreditsThisPeriod }`).join(' ')}}`;
const graphql = (index: number) =>
  act('GraphQL', { method: 'POST', path: '/graphql', body: { query: index % 2 === 0 ? DEEP : WIDE } });

/** Accepts each request, and never answers it. */
const hanging = await listenHttp(() => undefined);
for (let n = 0; n < 5; n += 1)
  await act('receivers', { method: 'POST', path: '/v1/webhooks', body: { url: `${hanging.url}/hooks/${n}` } });

async function events(): Promise<void> {
  await uploadOf('receivers', await photo(3), '?enhancements=[{}]');
  await pause(200);
}

const largest = () =>
  uploadOf('enlargements', photograph, `?enhancements=${JSON.stringify([{ upscalingFactor: 'X4' }])}`);

await runUntilEnd(async (signal) => {
  const acts = [
    crowd(signal, 100, () => slowBody('/v1/uploads', 'POST', {})),
    crowd(signal, 20, slowParts),
    crowd(signal, 10, flatPictures),
    crowd(signal, 2, parallelOrders),
    crowd(signal, 4, previews),
    crowd(signal, 4, estimates),
    crowd(signal, 2, batches),
    clocks(signal),
    crowd(signal, 10, graphql),
    crowd(signal, 2, events),
    crowd(signal, 2, async () => {
      await largest();
      await pause(1_000);
    }),
  ];
  // Calls that are still open end with the process.
  await Promise.race([Promise.all(acts), once(signal, 'abort')]);
  return counts;
});
