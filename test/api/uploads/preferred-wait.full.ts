import { describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Failure } from '@burnish/contract';
import { uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../../support/gate.ts';
import { jpeg } from '../support/files.ts';
import type { TestResponse } from '../support/gateway.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { poll } from '../../support/poll.ts';

const ENHANCEMENT = encodeURIComponent('[{"upscalingFactor":"X2"}]');
const TIMEOUT = { timeout: 30_000 };
const living = useLivingGateway({ limits: { uploadsAtOnce: 1, permitWaitMs: 5_000, waitsPerKey: 2 } });
let seed = 0;

async function send(query: string, prefer?: string): Promise<TestResponse> {
  const body = new Uint8Array(await jpeg((seed += 1)));
  const headers = { 'Content-Type': 'image/jpeg', ...(prefer === undefined ? {} : { Prefer: prefer }) };
  return living.gateway.fetch(`/v1/uploads${query}`, { method: 'POST', headers, body });
}

function order(id: string, enhancement: object, prefer?: string): Promise<TestResponse> {
  const headers = { 'Content-Type': 'application/json', ...(prefer === undefined ? {} : { Prefer: prefer }) };
  return living.gateway.fetch(`/v1/uploads/${id}/enhancements`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ enhancements: [enhancement] }),
  });
}

/** The turn in Temporal's queues: of the upload's workflow, and of the activities of one enhancement in it. */
async function priorities(uploadId: string, enhancementId?: string): Promise<{ workflow: number; work: number[] }> {
  const { events } = await living.client.workflow.getHandle(uploadWorkflowId(uploadId)).fetchHistory();
  let workflow = 0;
  const work: number[] = [];
  for (const {
    workflowExecutionStartedEventAttributes: begun,
    activityTaskScheduledEventAttributes: task,
  } of events!) {
    if (begun) workflow = begun.priority?.priorityKey ?? 0;
    // An activity that says nothing has the turn of its workflow.
    if (task?.activityId?.startsWith(enhancementId ?? '')) work.push(task.priority?.priorityKey || workflow);
  }
  return { workflow, work };
}

/** Holds the engine until it is opened. */
function hold(): () => void {
  const gate = createGate();
  living.provider.script.enhance = () => gate.opened;
  return gate.open;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const applied = (response: TestResponse): string | null => response.headers.get('preference-applied');

describe('a request with Prefer: wait', () => {
  test('returns the finished upload, whose work has priority', async () => {
    const response = await send(`?enhancements=${ENHANCEMENT}`, 'wait=30');
    const upload = await response.json();
    expect([response.status, applied(response)]).toEqual([200, 'wait=30']);
    expect(response.headers.get('location')).toBe(`/v1/uploads/${upload.id}`);
    expect([upload.status, upload.enhancements[0].status]).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
    expect(upload.enhancements[0].fullUrl).toMatch(/^http/);
    // Both in one activity, which this provider leaves to the next ones: the inspection and the enhancement.
    expect(await priorities(upload.id)).toEqual({ workflow: 2, work: [2, 2, 2] });
  });

  test('returns the finished enhancement, and only that one has priority', async () => {
    const { id } = await (await send('', 'wait=30')).json();
    const response = await order(id, { upscalingFactor: 'X2' }, 'respond-async, wait=30');
    const [enhancement] = (await response.json()).enhancements;
    expect([response.status, applied(response), enhancement.status]).toEqual([200, 'wait=30', 'FINISHED']);
    expect(response.headers.get('location')).toBe(`/v1/uploads/${id}`);
    expect((await priorities(id, enhancement.id)).work).toEqual([2]);
    const [later] = (await (await order(id, { mode: 'VIVID' })).json()).enhancements;
    await poll(async () => (await priorities(id, later.id)).work, TIMEOUT).toEqual([3]);
  });

  test('returns the usual answer after the time is over, and the work continues', async () => {
    const open = hold();
    const startedAt = performance.now();
    const response = await send(`?enhancements=${ENHANCEMENT}`, 'wait=1');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    const { id } = await response.json();
    expect([response.status, applied(response)]).toEqual([202, 'wait=1']);
    open();
    const status = async () => (await (await living.gateway.fetch(`/v1/uploads/${id}`)).json()).enhancements[0].status;
    await poll(status, TIMEOUT).toBe('FINISHED');
  });

  test('ends after its time although the garbage collector runs meanwhile', async () => {
    const open = hold();
    const waiting = send(`?enhancements=${ENHANCEMENT}`, 'wait=2');
    for (let i = 0; i < 5; i += 1) {
      await delay(200);
      collectGarbage();
    }
    expect((await waiting).status).toBe(202);
    open();
  });

  test('counts the time from the receipt of the request, not from the start of the work', async () => {
    await living.rest();
    const { id } = await (await send('')).json();
    const waiting = order(id, { upscalingFactor: 'X2' }, 'wait=1');
    await delay(1_500);
    await living.work();
    const response = await waiting;
    expect([response.status, applied(response)]).toEqual([202, 'wait=1']);
  });

  test('returns an enhancement that fails', async () => {
    living.provider.script.enhance = () => Promise.reject(new Failure('CORRUPT_FILE'));
    const { id } = await (await send('')).json();
    const response = await order(id, { upscalingFactor: 'X4' }, 'wait=30');
    expect([response.status, (await response.json()).enhancements[0].status]).toEqual([200, 'ERROR']);
  });

  test.each([
    ['wait="20"', 'wait=20'],
    ['WAIT=20; strict', 'wait=20'],
    ['foo="a, wait=5", wait=20', 'wait=20'],
    ['wait=3600', 'wait=60'],
  ])('treats %s as %s', async (prefer, expected) => {
    const response = await send('', prefer);
    expect([response.status, applied(response)]).toEqual([200, expected]);
  });

  test.each(['wait', 'wait=0', 'wait=soon', 'wait=-1', 'wait=1.5', 'await=5', 'respond-async', '"'])(
    'ignores %s',
    async (prefer) => {
      const response = await send('', prefer);
      expect([response.status, applied(response)]).toEqual([202, null]);
    },
  );

  test('uses no slot for uploads, and is limited for each key', async () => {
    const open = hold();
    const waiting = [1, 2].map(() => send(`?enhancements=${ENHANCEMENT}`, 'wait=30'));
    const working = () => living.provider.calls.filter((call) => call.startsWith('enhance ')).length;
    const before = working();
    await poll(working, TIMEOUT).toBe(before + 2);
    const third = await send('', 'wait=30');
    expect([third.status, applied(third)]).toEqual([202, null]);
    const { id } = await third.json();
    expect((await priorities(id)).workflow).toBe(3);
    open();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect(applied(await send('', 'wait=30'))).toBe('wait=30');
  });

  test('has the same idempotency key as the request without Prefer', async () => {
    const body = new Uint8Array(await jpeg((seed += 1)));
    const headers = { 'Content-Type': 'image/jpeg', 'Idempotency-Key': 'waits-once' };
    const post = (prefer: object) =>
      living.gateway.fetch('/v1/uploads', { method: 'POST', headers: { ...headers, ...prefer }, body });
    const first = await post({});
    const second = await post({ Prefer: 'wait=30' });
    expect([first.status, second.status]).toEqual([202, 200]);
    expect((await second.json()).id).toBe((await first.json()).id);
  });
});

describe('the priority BATCH', () => {
  const workflowOf = async (response: TestResponse): Promise<number> => {
    expect(response.status).toBeLessThan(300);
    return (await priorities((await response.json()).id)).workflow;
  };

  test('of an upload puts it behind all other work, whichever way it is sent', async () => {
    expect(await workflowOf(await send('?priority=BATCH'))).toBe(4);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(await jpeg((seed += 1)))]), 'photo.jpg');
    form.set('priority', 'BATCH');
    expect(await workflowOf(await living.gateway.fetch('/v1/uploads', { method: 'POST', body: form }))).toBe(4);
    const signed = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg', priority: 'BATCH' };
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(signed) };
    expect(await workflowOf(await living.gateway.fetch('/v1/uploads/signed', init))).toBe(4);
    const query = `mutation { createSignedUploadUrl(input: { filename: "a.jpg", filesize: 30000, mimetype: "image/jpeg", priority: BATCH }) { uploadId } }`;
    const answer = await living.gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { data } = await answer.json();
    expect((await priorities(data.createSignedUploadUrl.uploadId)).workflow).toBe(4);
  });

  test('applies to enhancements in the same request unless they state their own', async () => {
    const orders = encodeURIComponent('[{"upscalingFactor":"X2"},{"mode":"VIVID","priority":"STANDARD"}]');
    const response = await send(`?priority=BATCH&enhancements=${orders}`, 'wait=30');
    const { id, enhancements } = await response.json();
    expect(response.status).toBe(200);
    const work = await Promise.all(
      enhancements.map(async (each: { id: string }) => (await priorities(id, each.id)).work),
    );
    expect(work).toEqual([[4], [3]]);
  });

  test('of an enhancement applies even if its caller waits', async () => {
    const { id } = await (await send('', 'wait=30')).json();
    const [made] = (await (await order(id, { upscalingFactor: 'X2', priority: 'BATCH' }, 'wait=30')).json())
      .enhancements;
    expect((await priorities(id, made.id)).work).toEqual([4]);
  });

  test('has no counterpart for preferred work', async () => {
    const refused = await send('?priority=INTERACTIVE');
    expect([refused.status, (await refused.json()).field]).toEqual([400, 'priority']);
  });
});

test('a closing gateway sends waiting callers the usual answer', async () => {
  const open = hold();
  const waiting = send(`?enhancements=${ENHANCEMENT}`, 'wait=60');
  const before = living.provider.calls.length;
  await poll(() => living.provider.calls.slice(before).some((call) => call.startsWith('enhance ')), TIMEOUT).toBe(true);
  await living.gateway.gateway.close(5_000);
  expect((await waiting).status).toBe(202);
  open();
});
