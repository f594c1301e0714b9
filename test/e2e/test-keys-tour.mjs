/*
 * What a backend's own tests do with a test key, as a program without packages: it meets every error code, every event and ten
 * attempts of a delivery, and prints what it met. Arguments: base URL, API key, image, PDF, codes, events.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const [url, liveKey, image, pdf, codes, events] = process.argv.slice(2);
const [photo, document] = [await readFile(image), await readFile(pdf)];
let requests = 0;

async function call(method, path, { body, key = testKey, type = 'application/json', prefer } = {}) {
  requests += 1;
  const headers = { 'x-api-key': key, ...(body && { 'content-type': type }), ...(prefer && { prefer }) };
  const payload = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url + path, { method, headers, ...(payload === undefined ? {} : { body: payload }) });
  return response.json();
}
const send = (file, order, prefer) =>
  call('POST', `/v1/uploads?${new URLSearchParams(order)}`, { body: file, type: 'application/octet-stream', prefer });
async function until(read, isReached) {
  for (const end = performance.now() + 120_000; ;) {
    const value = await read();
    if (isReached(value)) return value;
    if (performance.now() > end)
      throw new Error(`This has not come: ${isReached}\nThe last answer: ${JSON.stringify(value)}`);
    await delay(100);
  }
}
const isOver = ({ status, subStatus, enhancements }) =>
  !['UPLOAD_PENDING', 'UPLOAD_PROCESSING'].includes(status) &&
  subStatus !== 'METADATA_ANALYZING' &&
  enhancements.every(
    (each) => ['FINISHED', 'ERROR', 'CANCELLED'].includes(each.status) && each.destination?.status !== 'PENDING',
  );
const settled = (upload) => (isOver(upload) ? upload : until(() => call('GET', `/v1/uploads/${upload.id}`), isOver));
const finish = async (file, order) => settled(await send(file, order, 'wait=30'));

const received = [];
const receiver = createServer(async (req, res) => {
  received.push({ ...(await json(req)), path: req.url, delivery: req.headers['webhook-id'] });
  res.writeHead(204).end();
});
await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
const hook = (path) => `http://127.0.0.1:${receiver.address().port}/${path}`;
const endpoint = (path, kinds) => call('POST', '/v1/webhooks', { body: { url: hook(path), events: kinds } });

let testKey = liveKey;
const startedAt = performance.now();
testKey = (await call('POST', '/v1/api-keys', { key: liveKey, body: { name: 'Tour', test: true } })).key;

// The PDF below tells the other kinds to its own receiver: the events of all codes say nothing new.
const ofUploads = ['upload.status_update', 'upload.sub_status_update', 'enhanced_image.status_update'];
await endpoint(
  'all',
  events.split(',').filter((kind) => !ofUploads.includes(kind)),
);
await endpoint('doomed', ['upload.status_update']);

const unavailable = await send(photo, orderOf('DESTINATION_UNAVAILABLE'));
await send(photo, { reference: 'test:delivery-410' });
const failing = await send(photo, { reference: 'test:delivery-500', webhookUrl: hook('failing') });
const [met, attempts] = await Promise.all([
  meetCodes(),
  tenAttempts(),
  leadBatch(),
  finish(document, { webhookUrl: hook('all'), enhancements: '[{}]' }),
  finish(photo, { reference: 'test:credits-low', enhancements: '[{}]' }),
  finish(photo, {}).then(({ id }) => call('DELETE', `/v1/uploads/${id}`)),
]);
await until(
  () => received,
  (all) => events.split(',').every((kind) => all.some(({ event }) => event === kind)),
);

function orderOf(code) {
  const concernsResult = code.startsWith('DESTINATION_') || code === 'RESULT_DAMAGED';
  const needed = concernsResult ? { destination: { url: 'https://example.com/result.webp' } } : {};
  return { reference: `test:${code}`, enhancements: JSON.stringify([needed]) };
}

/** An instance lets 20 requests of a key wait: some for the codes, and some for the rest. */
async function meetCodes() {
  const wanted = codes.split(',');
  const found = {};
  const left = [...wanted];
  const meetOthers = async () => {
    for (let code = left.shift(); code !== undefined; code = left.shift()) found[code] = await codeOf(code);
  };
  await Promise.all(Array.from({ length: 15 }, meetOthers));
  return wanted.map((code) => found[code]);
}

async function codeOf(code) {
  // The clock ends this one.
  const isWaiting = code === 'DESTINATION_UNAVAILABLE';
  const answer = isWaiting ? unavailable : await send(photo, orderOf(code), 'wait=30');
  if (answer.code !== undefined) return answer.code;
  const { errorCode, enhancements } = await settled(answer);
  return errorCode ?? enhancements[0].errorCode ?? enhancements[0].destination.errorCode;
}

/** One advance of the clock: to the end of the attempts of a delivery and of a destination, and to the notice of a disabled endpoint. */
async function tenAttempts() {
  const log = async () =>
    (await call('GET', '/v1/webhook-deliveries?limit=100')).items.find((each) => each.url === hook('failing'));
  await Promise.all([
    until(log, (each) => each?.attempts.length > 0),
    until(
      () => call('GET', `/v1/enhancements/${unavailable.enhancements[0].id}`),
      ({ waitingFor }) => waitingFor === 'destination',
    ),
    until(
      () => call('GET', '/v1/webhooks'),
      ({ items }) => items.some(({ disabledAt }) => disabledAt !== null),
    ),
  ]);
  await call('POST', '/v1/test/clock', { body: { seconds: 86_400 } });
  return (await until(log, ({ status }) => status === 'FAILED')).attempts;
}

async function leadBatch() {
  const kept = await finish(photo, {});
  const batch = await call('POST', '/v1/batches', { body: { enhancements: [{}], samples: 1 } });
  const line = (_, index) =>
    JSON.stringify({ uploadId: kept.id, key: `${index}`, reference: index === 0 ? 'fine' : 'test:PROCESSING_LIMIT' });
  const items = new TextEncoder().encode(Array.from({ length: 11 }, line).join('\n'));
  await call('POST', `/v1/batches/${batch.id}/items`, { body: items, type: 'application/x-ndjson' });
  await call('POST', `/v1/batches/${batch.id}/close`);
  await until(
    () => received,
    (all) => all.some(({ event }) => event === 'batch.approval_needed'),
  );
  await call('POST', `/v1/batches/${batch.id}/approve`);
}

const repeated = received.filter(({ path, data }) => path === '/failing' && data.id === failing.id);
const result = {
  met,
  attempts: attempts.length,
  deliveries: new Set(repeated.map(({ delivery }) => delivery)).size,
  repeated: repeated.length,
  requests,
  seconds: (performance.now() - startedAt) / 1_000,
};
console.log(JSON.stringify(result));
receiver.close();
receiver.closeAllConnections();
