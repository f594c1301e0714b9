import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { startGateway } from '../../../src/api/server.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import type { GatewayDeps } from '../../../src/api/deps.ts';
import { originalKey } from '../../../src/domain/files/object-keys.ts';
import { sweepStagedFiles } from '../../../src/api/reconcile/sweep-staged-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { poll } from '../../support/poll.ts';

const gateway = useGateway({ limits: { requestsPerAccount: 3, failedAuthentications: 3 } });

test('an account above its rate limit is refused with Retry-After; another account is not', async () => {
  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await gateway.fetch('/v1/credits'));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  const told = answers.map(({ headers }) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]);
  for (const [index, [policy, limit]] of told.entries()) {
    expect(policy).toMatch(/^"account"; q=3; w=60; pk=:[A-Za-z0-9+/]+=*:$/);
    const [, remaining, seconds] = /^"account"; r=(\d+); t=(\d+)$/.exec(limit ?? '') ?? [];
    expect(Number(remaining)).toBe(Math.max(0, 2 - index));
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThanOrEqual(60);
  }
  const refused = answers[3]!;
  expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds >= 1 && seconds <= 60).toBe(true);
  expect((await gateway.fetch('/v1/credits', { key: gateway.foreignKey })).status).toBe(200);
});

test('an address with wrong keys is rate limited; callers with valid keys are not', async () => {
  const statuses = [];
  for (let i = 0; i < 4; i += 1) statuses.push((await gateway.fetch('/v1/credits', { key: `guess-${i}` })).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await gateway.fetch('/v1/credits', { key: gateway.foreignKey })).status).toBe(200);
});

test('health checks of orchestrators do not fill the log', async () => {
  await gateway.fetch('/healthz', { key: null });
  await gateway.fetch('/nowhere', { key: null });
  const levelOf = (path: string) => {
    const lines = gateway.logged().split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as { path?: string; level: number }).find((line) => line.path === path)
      ?.level;
  };
  const [debug, info] = [20, 30];
  await poll(() => [levelOf('/healthz'), levelOf('/nowhere')]).toEqual([debug, info]);
});

test('a port in use is reported in one clear sentence', async () => {
  const metrics = { ...createMetrics(), readers: 'none' as const };
  const previewEngine = { children: 1 };
  const operatorKey = 'any-key';
  const deps = {
    publicUrl: 'http://x',
    version: '1',
    dashboardFolder: '/nowhere',
    guideFolder: '/nowhere',
    operatorKey,
    metrics,
    previewEngine,
    trialEngine: previewEngine,
    stores: {},
  };
  const start = startGateway(deps as unknown as GatewayDeps, { host: '127.0.0.1', port: gateway.gateway.port });
  await expect(start).rejects.toThrow(
    `Port ${gateway.gateway.port} on 127.0.0.1 is in use. Set BURNISH_PORT to another port.`,
  );
});

test('closing the gateway waits for the running upload', async () => {
  const closing = await testGateway();
  const photo = await jpeg();
  const headers = { 'x-api-key': closing.key, 'Content-Type': 'image/jpeg', 'Content-Length': photo.byteLength };
  const req = request(`http://127.0.0.1:${closing.gateway.port}/v1/uploads`, { method: 'POST', headers });
  const status = new Promise<number>((resolve, reject) =>
    req.on('response', (res) => resolve(res.statusCode!)).on('error', reject),
  );
  req.write(photo.subarray(0, 10_000));
  await poll(() => closing.records.stagedFiles.olderThan(-1000)).toHaveLength(1);
  const closed = closing.gateway.close(20_000);
  req.end(photo.subarray(10_000));
  expect(await status).toBe(202);
  await closed;
  await closing[Symbol.asyncDispose]();
});

test('the sweep deletes files without an upload and nothing else', async () => {
  const { stagedFiles } = gateway.records;
  const [abandoned, used, replaced, unknown, young] = ['a', 'b', 'c', 'd', 'e'].map(
    (letter) => `upl_${letter.repeat(26)}`,
  ) as [string, string, string, string, string];
  const keyOf = (id: string): string => originalKey(gateway.account.id, id);
  const stage = async (id: string): Promise<void> => {
    await stagedFiles.add(id, keyOf(id));
    await gateway.storage.put(keyOf(id), [Buffer.from(id)] as unknown as AsyncIterable<Uint8Array>, { maxBytes: 100 });
  };
  for (const id of [abandoned, used, replaced, unknown]) await stage(id);
  gateway.clock.aheadMs = 3_600_000;
  await stage(young);
  await storedUpload(gateway, { id: used, objectKey: keyOf(used) });
  await storedUpload(gateway, { id: replaced, objectKey: null, status: 'UPLOAD_DELETED' });
  gateway.temporal.starts.push({ type: 'upload', options: { workflowId: `upload/${unknown}` } as never });
  // A note that names a file of another upload.
  await stagedFiles.add(`upl_${'f'.repeat(26)}`, keyOf(used), -3_600_000);

  expect(
    await sweepStagedFiles(
      { ...gateway.records, storage: gateway.storage, client: gateway.temporal.client },
      1_800_000,
    ),
  ).toBe(2);
  const left = await Promise.all(
    [abandoned, used, replaced, unknown, young].map(
      async (id) => (await gateway.storage.head(keyOf(id))) !== undefined,
    ),
  );
  expect(left).toEqual([false, true, false, true, true]);
  expect((await stagedFiles.olderThan(-1000)).map(({ uploadId }) => uploadId)).toEqual([unknown, young]);
  gateway.clock.aheadMs = 0;
});
