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

async function call(method, path, { body, key = testKey, type = 'application/json' } = {}) {
  requests += 1;
  const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': type }) };
  const payload = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url + path, { method, headers, ...(payload === undefined ? {} : { body: payload }) });
  return response.json();
}
const send = (file, order) =>
  call('POST', `/v1/uploads?${new URLSearchParams(order)}`, { body: file, type: 'application/octet-stream' });
async function until(read, isReached) {
  for (;;) {
    const value = await read();
    if (isReached(value)) return value;
    await delay(100);
  }
}
const isOver = ({ status, subStatus, enhancements }) =>
  !['UPLOAD_PENDING', 'UPLOAD_PROCESSING'].includes(status) &&
  subStatus !== 'METADATA_ANALYZING' &&
  enhancements.every(
    (each) => ['FINISHED', 'ERROR', 'CANCELLED'].includes(each.status) && each.destination?.status !== 'PENDING',
  );
const settled = ({ id }) => until(() => call('GET', `/v1/uploads/${id}`), isOver);
const advance = (seconds) => call('POST', '/v1/test/clock', { body: { seconds } });

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

async function codeOf(code) {
  const needed = code.startsWith('DESTINATION_') ? { destination: { url: 'https://example.com/result.webp' } } : {};
  const answer = await send(photo, { reference: `test:${code}`, enhancements: JSON.stringify([needed]) });
  if (answer.code !== undefined) return answer.code;
  if (code === 'DESTINATION_UNAVAILABLE') {
    await until(
      () => call('GET', `/v1/enhancements/${answer.enhancements[0].id}`),
      ({ waitingFor }) => waitingFor === 'destination',
    );
    await advance(86_400);
  }
  const { errorCode, enhancements } = await settled(answer);
  return errorCode ?? enhancements[0].errorCode ?? enhancements[0].destination.errorCode;
}
const met = await Promise.all(codes.split(',').map(codeOf));

await endpoint('notices', ['webhook.disabled']);
await endpoint('doomed', ['upload.status_update']);
await settled(await send(photo, { reference: 'test:delivery-410' }));
await until(
  () => call('GET', '/v1/webhooks'),
  ({ items }) => items.some(({ disabledAt }) => disabledAt !== null),
);
await endpoint('all', events.split(','));

const kept = await settled(await send(photo, {}));
const batch = await call('POST', '/v1/batches', { body: { samples: 1 } });
const line = (_, index) =>
  JSON.stringify({ uploadId: kept.id, key: `${index}`, reference: index === 0 ? 'fine' : 'test:PROCESSING_LIMIT' });
const items = new TextEncoder().encode(Array.from({ length: 80 }, line).join('\n'));
await call('POST', `/v1/batches/${batch.id}/items`, { body: items, type: 'application/x-ndjson' });
await call('POST', `/v1/batches/${batch.id}/close`);
const [failing] = await Promise.all([
  send(photo, { reference: 'test:delivery-500', webhookUrl: hook('failing') }),
  send(document, {}).then(settled),
  send(photo, { reference: 'test:credits-low', enhancements: '[{}]' }).then(settled),
  settled(await send(photo, {})).then(({ id }) => call('DELETE', `/v1/uploads/${id}`)),
]);
await until(
  () => received,
  (all) => all.some(({ event }) => event === 'batch.approval_needed'),
);
await call('POST', `/v1/batches/${batch.id}/approve`);
const log = async () =>
  (await call('GET', '/v1/webhook-deliveries?limit=100')).items.find((each) => each.url === hook('failing'));
await until(log, (each) => each?.attempts.length > 0);
await advance(86_400);
const { attempts } = await until(log, ({ status }) => status === 'FAILED');
await until(
  () => received,
  (all) => events.split(',').every((kind) => all.some(({ event }) => event === kind)),
);

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
