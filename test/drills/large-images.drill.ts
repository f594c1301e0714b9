import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { type Api, createApi, type UploadRecord } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';

const LARGE_IMAGES = 80;
const SENDERS = 8;
const PHOTOS = 20;
/** Milliseconds for a photograph of a calm account from its upload to its result, on a machine that is busy with other tests */
const CALM_MS = 20_000;
const OPERATOR_KEY = 'operator-key-of-the-drill-with-large-images';

/** The smallest box that is ignored (ISO/IEC 14496-12, section 8.1.2), which makes each file another one of an accepted size. */
function freeBox(bytes: number, seed: number): Buffer {
  const box = Buffer.alloc(bytes);
  box.writeUInt32BE(bytes);
  box.write('free', 4, 'latin1');
  box.writeUInt32BE(seed, 8);
  return box;
}

/** Creates an account of the smallest plan. */
async function createAccount(url: string, name: string): Promise<Api> {
  const operator = createApi(url, OPERATOR_KEY);
  const { body } = await operator.call<{ apiKey: string }>('POST', '/v1/operator/accounts', {
    body: { name, plan: 'FREE' },
  });
  return createApi(url, body.apiKey);
}

test('an account with 80 pictures of 100 megapixels delays no photograph, order or deletion of another one', async () => {
  await using instance = await startInstance({ env: { BURNISH_OPERATOR_KEY: OPERATOR_KEY } });
  const [greedy, calm] = await Promise.all(['Greedy', 'Calm'].map((name) => createAccount(instance.url, name)));
  const flat = sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#89a' } });
  const avif = await flat.avif({ effort: 0, quality: 30 }).toBuffer();
  const sent: string[] = [];
  let next = 0;
  const senders = Array.from({ length: SENDERS }, async () => {
    for (let seed = next++; seed < LARGE_IMAGES; seed = next++) {
      const { status, body } = await greedy!.upload(Buffer.concat([avif, freeBox(25_000, seed)]));
      expect(status).toBe(202);
      sent.push(body.id);
    }
  });
  await Promise.all(senders);

  const times: number[] = [];
  for (let seed = 0; seed < PHOTOS; seed += 1) {
    const started = performance.now();
    const { status, body } = await calm!.upload(await photo(seed + 100), { enhancements: [{}] });
    expect(status).toBe(202);
    const settled = await calm!.settled(body.id);
    expect(settled).toMatchObject({ status: 'UPLOAD_FINISHED', enhancements: [{ status: 'FINISHED' }] });
    expect((await calm!.call('DELETE', `/v1/uploads/${body.id}`)).status).toBe(202);
    times.push(performance.now() - started);
    await pause(500);
  }
  const waiting = (await greedy!.get<{ items: UploadRecord[] }>('/v1/uploads?status=UPLOAD_PROCESSING&limit=100')).body
    .items;
  process.stdout.write(
    `photographs: median ${median(times)} ms, longest ${Math.round(Math.max(...times))} ms; large images left: ${waiting.length}\n`,
  );
  // The proof needs both at the same time.
  expect(waiting.length).toBeGreaterThan(LARGE_IMAGES / 4);
  expect(Math.max(...times)).toBeLessThan(CALM_MS);
  // An upload is deleted while it is inspected, and while it waits for that.
  for (const id of sent) expect((await greedy!.call('DELETE', `/v1/uploads/${id}`)).status).toBe(202);
}, 600_000);

const median = (values: readonly number[]): number =>
  Math.round([...values].sort((a, b) => a - b)[values.length >> 1]!);
