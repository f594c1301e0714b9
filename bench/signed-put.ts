import { fork } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import type { ServerFacts } from './signed-put-server.ts';

/**
 * Compares a PUT of 1,000 MB to a signed URL with a bare write of the same bytes to the same disk. Both run until the bytes are
 * synced, and the results are ratios within one run. Also measures the growth of the server's memory. `npm run bench:contract`.
 */
const SIZE = 1_000_000_000;
const ROUNDS = 3;
const CHUNK = Buffer.alloc(1_000_000);
for (let i = 0; i < CHUNK.length; i += 1) CHUNK[i] = (i * 2_654_435_761) >>> 13;
const HEAD = Buffer.concat([Buffer.from('%PDF-1.7\n'), CHUNK.subarray(9)]);

const server = fork(fileURLToPath(new URL('./signed-put-server.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx'],
});
await using folder = await temporaryFolder();
try {
  const [facts] = (await once(server, 'message')) as [ServerFacts];
  await put(`${facts.bareUrl}/`, 50_000_000);
  const before = await memory();
  const ratios: { disk: number; handler: number }[] = [];
  let peak = before;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const disk = await megabytesPerSecond(writeBare);
    const handler = await megabytesPerSecond(() => put(`${facts.bareUrl}/`, SIZE));
    const url = await signedUrl(facts);
    const watching = setInterval(() => void memory().then((now) => (peak = Math.max(peak, now))), 100);
    const signed = await megabytesPerSecond(() => put(url, SIZE));
    clearInterval(watching);
    ratios.push({ disk: signed / disk, handler: signed / handler });
    const rates = [
      `bare write ${disk.toFixed(0)} MB/s`,
      `bare handler ${handler.toFixed(0)} MB/s`,
      `signed PUT ${signed.toFixed(0)} MB/s`,
    ];
    console.log(`1,000 MB, round ${round}: ${rates.join(', ')}`);
  }
  const median = (name: 'disk' | 'handler'): string =>
    ratios
      .map((each) => each[name])
      .toSorted((a, b) => a - b)
      [Math.floor(ROUNDS / 2)]!.toFixed(2);
  console.log(`signed PUT: median ratio ${median('disk')} of a bare write, ${median('handler')} of a bare handler`);
  const grown = Math.round((peak - before) / 1e6);
  console.log(
    `signed PUT: memory grew by at most ${grown} MB, to ${Math.round(peak / 1e6)} MB with the embedded database`,
  );
} finally {
  server.send('end');
  await once(server, 'exit');
}

async function megabytesPerSecond(job: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await job();
  return SIZE / 1000 / (performance.now() - startedAt);
}

function* bytes(size: number): Generator<Buffer> {
  for (let sent = 0; sent < size; sent += CHUNK.length) yield sent === 0 ? HEAD : CHUNK;
}

async function writeBare(): Promise<void> {
  const file = await open(join(folder.path, 'bare'), 'w');
  for (const chunk of bytes(SIZE)) await file.write(chunk);
  await file.sync();
  await file.close();
}

async function put(url: string, size: number): Promise<void> {
  const headers = { 'content-type': 'application/pdf', 'content-length': String(size) };
  const { statusCode, body } = await request(url, {
    method: 'PUT',
    headers,
    body: bytes(size) as never,
    bodyTimeout: 0,
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`Unexpected answer ${statusCode}: ${text}`);
}

async function signedUrl({ gatewayUrl, key }: ServerFacts): Promise<string> {
  const query = `mutation { createSignedUploadUrl(input: { filename: "a.pdf", filesize: ${SIZE}, mimetype: "application/pdf" }) { uploadUrl } }`;
  const { body } = await request(`${gatewayUrl}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = (await body.json()) as { data: { createSignedUploadUrl: { uploadUrl: string } } };
  const { pathname, search } = new URL(data.createSignedUploadUrl.uploadUrl);
  return `${gatewayUrl}${pathname}${search}`;
}

/** Resident bytes of the server. */
async function memory(): Promise<number> {
  server.send('memory');
  const [bytes] = (await once(server, 'message')) as [number];
  return bytes;
}
