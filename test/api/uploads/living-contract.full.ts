import { eq } from 'drizzle-orm';
import { expect, test } from '@jest/globals';
import { accounts } from '../../../src/database/schema/accounts.ts';
import { creditsChanged, uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { listenHttp } from '../../support/local-server.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { jpeg, pdf } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { poll } from '../../support/poll.ts';
import { useForFile } from '../../support/use-for.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const receiver = useForFile(webhookReceiver);

// Answers are what the tests say they are: a wrong guess fails the test.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any;

async function post(path: string, body: unknown): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await living.gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { httpStatus: response.status, ...(await response.json()) };
}
async function send(body: Buffer, type: string, order: Record<string, string> = {}): Promise<string> {
  const init = { method: 'POST', headers: { 'Content-Type': type }, body: new Uint8Array(body) };
  const response = await living.gateway.fetch(`/v1/uploads?${new URLSearchParams(order).toString()}`, init);
  const answer = await response.json();
  expect([response.status, answer.detail]).toEqual([202, undefined]);
  return answer.id as string;
}
const read = async (id: string): Promise<Answer> => (await living.gateway.fetch(`/v1/uploads/${id}`)).json();
const reaches = (id: string, field: 'status' | 'subStatus', value: string): Promise<void> =>
  poll(async () => (await read(id))[field], { timeout: 30_000 }).toBe(value);
const enhancementReaches = (id: string, status: string): Promise<void> =>
  poll(async () => (await read(id)).enhancements[0].status, { timeout: 30_000 }).toBe(status);
const announce = (given: object): Promise<Answer> => post('/v1/uploads/signed', { filename: 'a', ...given });
const put = (uploadUrl: string, body: Buffer, type: string): Promise<Response> =>
  living.gateway.fetch(uploadUrl.slice('http://burnish.test'.length), {
    method: 'PUT',
    key: null,
    headers: { 'Content-Type': type },
    body: new Uint8Array(body),
  });
const changePlan = (plan: string): Promise<unknown> =>
  living.gateway.database.orm.update(accounts).set({ plan }).where(eq(accounts.id, living.gateway.account.id));

test.each([
  ['image', () => jpeg(), 'image/jpeg', 'UPLOAD_FINISHED'],
  ['pdf', async () => pdf(), 'application/pdf', 'METADATA_ANALYZED_SUCCESSFULLY'],
])('a search in the Web UI finds a finished %s by its type and status', async (type, file, mimetype, status) => {
  const id = await send(await file(), mimetype);
  await reaches(id, 'status', 'UPLOAD_FINISHED');
  const handle = living.client.workflow.getHandle(uploadWorkflowId(id));
  const labels = async (): Promise<unknown> => (await handle.describe()).searchAttributes;
  await poll(labels, { timeout: 30_000 }).toMatchObject({ BurnishType: [type], BurnishStatus: [status] });
});

test('the duration of an upload is measured by one clock, also where that of its gateway is ahead', async () => {
  living.gateway.clock.aheadMs = 60_000;
  const id = await send(await jpeg(), 'image/jpeg');
  living.gateway.clock.aheadMs = 0;
  await reaches(id, 'status', 'UPLOAD_FINISHED');
  const { startedAt, finishedAt, duration } = await read(id);
  expect(duration).toBeGreaterThanOrEqual(0);
  expect(duration).toBeLessThan(60_000);
  expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBe(duration);
});

test('the present plan limits an upload that was created under another plan', async () => {
  await changePlan('FREE');
  const id = await send(pdf(), 'application/pdf');
  await reaches(id, 'subStatus', 'METADATA_ANALYZED_SUCCESSFULLY');
  const ask = (): Promise<Answer> =>
    post(`/v1/uploads/${id}/enhancements`, { enhancements: [{ targetResolution: 600 }] });
  expect(await ask()).toMatchObject({ httpStatus: 422, code: 'TARGET_RESOLUTION_EXCEEDS_PLAN' });
  await changePlan('BUSINESS');
  expect(await ask()).toMatchObject({ httpStatus: 202, enhancements: [{ parameters: { targetResolution: 600 } }] });
  await enhancementReaches(id, 'FINISHED');
});

test('a file that is longer than declared fails its upload at once', async () => {
  const file = await jpeg();
  const { id, uploadUrl } = await announce({ filesize: file.byteLength - 1, mimetype: 'image/jpeg' });
  expect((await put(uploadUrl, file, 'image/jpeg')).status).toBe(413);
  const failed = { status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH', url: null };
  expect(await read(id)).toMatchObject(failed);
  expect(await post(`/v1/uploads/${id}/complete`, {})).toMatchObject({ httpStatus: 202, ...failed });
});

test('for a PDF that has not arrived yet, parameters of images are refused first, and then any order', async () => {
  const { id } = await announce({ filesize: 30_000, mimetype: 'application/pdf' });
  const refused = await post(`/v1/uploads/${id}/enhancements`, { enhancements: [{ mode: 'VIVID' }] });
  expect(refused).toMatchObject({ httpStatus: 400, code: 'BAD_USER_INPUT', field: 'enhancements[0].mode' });
  const early = await post(`/v1/uploads/${id}/enhancements`, { enhancements: [{ upscalingThreshold: 2 }] });
  expect(early).toMatchObject({ httpStatus: 409, code: 'PDF_NOT_ANALYZED' });
});

test.each([
  ['takes the name that the server gives it', undefined, 'Ünï code.jpeg'],
  ['keeps the name that the caller gives it', 'mine.jpg', 'mine.jpg'],
])('a file from an address %s', async (_what, filename, expected) => {
  const file = await jpeg();
  const disposition = "attachment; filename*=UTF-8''%C3%9Cn%C3%AF%20code.jpeg";
  const host = await listenHttp((_req, res) => res.writeHead(200, { 'Content-Disposition': disposition }).end(file));
  const { id } = await post('/v1/uploads', { source: { url: `${host.url}/dl?id=7` }, ...(filename && { filename }) });
  await reaches(id, 'status', 'UPLOAD_FINISHED');
  expect((await read(id)).originalFilename).toBe(expected);
  await host[Symbol.asyncDispose]();
});

test('the begin and the end of a wait for credits are announced', async () => {
  const { account, records } = living.gateway;
  const { remaining } = await records.ledger.balance(account.id, Date.now());
  const other = { accountId: account.id, enhancementId: 'enh_other', nowMs: Date.now() };
  await records.ledger.reserve({ ...other, credits: remaining - 1 });
  const order = { enhancements: '[{"upscalingFactor":"X2"}]', webhookUrl: `${receiver.url}/hook` };
  const id = await send(await jpeg(9), 'image/jpeg', order);
  const told = (): unknown[] =>
    receiver.deliveries
      .filter(({ event: { event, data } }) => event === 'enhanced_image.status_update' && data['uploadId'] === id)
      .map(({ event }) => event.data['status']);
  await poll(told, { timeout: 30_000 }).toEqual(['AWAITING_CREDITS']);
  await records.ledger.release(other);
  await living.client.workflow.getHandle(uploadWorkflowId(id)).signal(creditsChanged);
  await poll(() => told().toSorted(), { timeout: 30_000 }).toEqual(['AWAITING_CREDITS', 'FINISHED', 'PROCESSING']);
});

test('a fall of the credits to 20 % and to 0 is announced once each', async () => {
  const { account, records } = living.gateway;
  const hook = await post('/v1/webhooks', { url: `${receiver.url}/credits`, events: ['credits.low'] });
  expect(hook.httpStatus).toBe(201);
  /** Another enhancement holds all credits but these. */
  const leave = async (credits: number, enhancementId: string) => {
    const { remaining } = await records.ledger.balance(account.id, Date.now());
    const other = { accountId: account.id, enhancementId, nowMs: Date.now() };
    await records.ledger.reserve({ ...other, credits: remaining - credits });
    return { release: () => records.ledger.release(other) };
  };
  let seed = 20;
  const enlarge = async (): Promise<void> => {
    const id = await send(await jpeg((seed += 1)), 'image/jpeg', { enhancements: '[{"upscalingFactor":"X2"}]' });
    await enhancementReaches(id, 'FINISHED');
  };
  const told = (): unknown[] =>
    receiver.deliveries
      .filter(({ event: { event } }) => event === 'credits.low')
      .map(({ event: { data } }) => [data['level'], data['remainingCreditsThisPeriod']]);

  let others = await leave(26, 'enh_first');
  await enlarge();
  expect(told()).toEqual([]);
  await enlarge();
  await poll(told, { timeout: 30_000 }).toEqual([[20, 18]]);
  // Credits that come back and go again are no news.
  await others.release();
  others = await leave(22, 'enh_second');
  await enlarge();
  await others.release();
  others = await leave(4, 'enh_third');
  await enlarge();
  await poll(told, { timeout: 30_000 }).toEqual([
    [20, 18],
    [0, 0],
  ]);
  await others.release();
});
