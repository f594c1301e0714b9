import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Upload } from '@burnish/contract';
import { type EnhancementRequest, initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any;

const gateway = useGateway();
let upload: Upload;

beforeAll(async () => {
  upload = await storedUpload(gateway);
});
beforeEach(() => {
  gateway.temporal.updates.length = 0;
});

const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<TestResponse> =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const refuse = (type: string, message: string, field: string | null = null): never => {
  const cause = ApplicationFailure.create({ type, message, nonRetryable: true, details: [{ field }] });
  throw new WorkflowUpdateFailedError('Workflow Update failed', cause);
};
const ended = (): never => {
  throw new WorkflowNotFoundError('not found', 'x', undefined);
};

const accepted = (args: unknown[]) =>
  (args[0] as EnhancementRequest[]).map((each) => initialEnhancement(each, upload, new Date().toISOString()));

describe('POST /v1/uploads/{id}/enhancements', () => {
  const accept = (): void => {
    gateway.temporal.onUpdate = ({ args }) => accepted(args);
  };
  const order = (enhancement: object = {}, headers: Record<string, string> = {}, id = upload.id) =>
    post(`/v1/uploads/${id}/enhancements`, { enhancements: [enhancement] }, headers);
  const ordered = async (response: TestResponse) => (await response.json()).enhancements[0];

  test('sends one update and returns a record that can be read at once', async () => {
    accept();
    const response = await order({ mode: 'VIVID', maxCredits: 4, creditWait: 0 });
    const body = await ordered(response);
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/uploads/${upload.id}`]);
    expect(gateway.temporal.updates).toEqual([
      {
        workflowId: `upload/${upload.id}`,
        name: 'requestEnhancements',
        args: [
          [
            {
              id: body.id,
              parameters: { mode: 'VIVID' },
              maxCredits: 4,
              creditWaitMs: 0,
              plan: { name: 'Basic', maxResolution: 600, fairnessWeight: 2 },
              urgency: 'single',
            },
          ],
        ],
        updateId: expect.any(String),
      },
    ]);
    expect(await (await gateway.fetch(`/v1/enhancements/${body.id}`)).json()).toEqual(body);
    const listed = await (await gateway.fetch('/v1/enhancements')).json();
    expect(listed.items).toEqual([body]);
  });

  test('with one key creates one enhancement, and refuses another body', async () => {
    accept();
    const send = (each: object): Promise<TestResponse> => order(each, { 'Idempotency-Key': 'e-1' });
    const [first, second] = [await ordered(await send({ mode: 'OFF' })), await ordered(await send({ mode: 'OFF' }))];
    expect(second.id).toBe(first.id);
    expect(gateway.temporal.updates).toHaveLength(1);
    expect(await (await send({ mode: 'VIVID' })).json()).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      field: 'Idempotency-Key',
    });
    expect(gateway.temporal.updates).toHaveLength(1);
  });

  test('sends several in one update, keeps their sequence, and gives those without limits the limits beside them', async () => {
    accept();
    const enhancements = Array.from({ length: 20 }, (_, index) => ({ outputQuality: index + 1 }));
    const body = {
      enhancements: [{ ...enhancements[0], maxCredits: 9, reference: 'first' }, ...enhancements.slice(1)],
    };
    const send = () =>
      post(
        `/v1/uploads/${upload.id}/enhancements`,
        { ...body, maxCredits: 2, creditWait: 5 },
        { 'Idempotency-Key': 'many' },
      );
    const response = await send();
    const { enhancements: made } = await response.json();
    expect(response.status).toBe(202);
    expect(made.map(({ parameters }: Answer) => parameters)).toEqual(enhancements);
    expect(made.map(({ maxCredits, creditWait }: Answer) => [maxCredits, creditWait])).toEqual([
      [9, 5],
      ...Array(19).fill([2, 5]),
    ]);
    expect([made[0].reference, made[1].reference]).toEqual(['first', null]);
    expect(gateway.temporal.updates).toHaveLength(1);
    const ids = made.map(({ id }: Answer) => id);
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect((await (await send()).json()).enhancements.map(({ id }: Answer) => id)).toEqual(ids);
    expect(gateway.temporal.updates).toHaveLength(1);
  });

  test('with a bad one among good ones writes nothing, and sends nothing', async () => {
    accept();
    const before = await (await gateway.fetch('/v1/enhancements')).json();
    const enhancements = [{ reference: 'a' }, { targetResolution: 300 }, { reference: 'b' }];
    const response = await post(`/v1/uploads/${upload.id}/enhancements`, { enhancements });
    expect([response.status, (await response.json()).field]).toEqual([400, 'enhancements[1].targetResolution']);
    expect(gateway.temporal.updates).toEqual([]);
    expect(await (await gateway.fetch('/v1/enhancements')).json()).toEqual(before);
  });

  test('withdraws each of several after a lost answer without a key', async () => {
    gateway.temporal.onUpdate = () => {
      throw new WorkflowUpdateRPCTimeoutOrCancelledError('timed out');
    };
    const lost = await post(`/v1/uploads/${upload.id}/enhancements`, { enhancements: [{}, { mode: 'OFF' }] });
    expect(lost.status).toBe(503);
    const [request, ...withdrawals] = gateway.temporal.updates;
    const ids = (request!.args[0] as EnhancementRequest[]).map(({ id }) => ({ enhancementId: id }));
    expect(withdrawals.map(({ name, args }) => [name, args])).toEqual(ids.map((each) => ['cancelEnhancement', [each]]));
  });

  test('repeats the same update after a lost answer', async () => {
    gateway.temporal.onUpdate = () => {
      throw new WorkflowUpdateRPCTimeoutOrCancelledError('timed out');
    };
    const send = (): Promise<TestResponse> => order({}, { 'Idempotency-Key': 'e-2' });
    const lost = await send();
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await lost.json()).detail).toContain('No worker accepted');
    accept();
    expect((await send()).status).toBe(202);
    const [first, second] = gateway.temporal.updates;
    expect(second).toEqual(first);
  });

  test('without a key is withdrawn after a lost answer, because its caller could not find it', async () => {
    gateway.temporal.onUpdate = () => {
      throw new WorkflowUpdateRPCTimeoutOrCancelledError('timed out');
    };
    const lost = await order();
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await lost.json()).detail).toBe(
      'No worker accepted the command in time. The order is withdrawn and costs nothing.',
    );
    const [request, withdrawal] = gateway.temporal.updates;
    const [{ id: enhancementId }] = request!.args[0] as [EnhancementRequest];
    expect(withdrawal).toMatchObject({ name: 'cancelEnhancement', args: [{ enhancementId }] });
  });

  test('is taken after a lost answer if its record exists', async () => {
    gateway.temporal.onUpdate = async ({ args }) => {
      for (const each of accepted(args)) await gateway.records.enhancements.project(each);
      throw new WorkflowUpdateRPCTimeoutOrCancelledError('timed out');
    };
    const response = await order();
    const [{ id }] = gateway.temporal.updates[0]!.args[0] as [EnhancementRequest];
    expect([response.status, (await ordered(response)).id]).toEqual([202, id]);
    expect(gateway.temporal.updates).toHaveLength(1);
  });

  test('that the workflow has accepted is taken, though its answer is late', async () => {
    gateway.temporal.onUpdate = () => () => {
      throw new WorkflowUpdateRPCTimeoutOrCancelledError('timed out');
    };
    const response = await order({ mode: 'VIVID' });
    const body = await ordered(response);
    expect([response.status, body.status]).toEqual([202, 'QUEUED']);
    expect(await (await gateway.fetch(`/v1/enhancements/${body.id}`)).json()).toEqual(body);
    const cancelled = await post(`/v1/enhancements/${body.id}/cancel`);
    expect([cancelled.status, (await cancelled.json()).status]).toEqual([202, 'QUEUED']);
  });

  test.each([
    ['PDF_NOT_ANALYZED', 409],
    ['RATE_LIMITED', 429],
    ['CORRUPT_FILE', 422],
  ])('answers a refusal of the workflow with its code %s', async (code, status) => {
    gateway.temporal.onUpdate = () => refuse(code, 'Because of this.', 'mode');
    const response = await order();
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, detail: 'Because of this.', field: 'mode' });
  });

  test('hides the details of an unexpected error', async () => {
    gateway.temporal.onUpdate = () => refuse('TypeError', 'x is undefined at /srv/secret.js');
    const response = await order();
    expect(response.status).toBe(500);
    expect(JSON.stringify(await response.json())).not.toContain('secret');
  });

  test.each([
    ['UPLOAD_DELETED', 404, 'NOT_FOUND'],
    ['UPLOAD_FAILED', 400, 'BAD_USER_INPUT'],
  ] as const)('refuses an upload whose workflow has ended as %s', async (status, httpStatus, code) => {
    const gone = await storedUpload(gateway, { status });
    gateway.temporal.onUpdate = ended;
    const response = await order({}, {}, gone.id);
    expect([response.status, (await response.json()).code]).toEqual([httpStatus, code]);
  });
});

describe('decisions on an enhancement', () => {
  test.each(['approve', 'reject', 'cancel'])('%s sends one update to the workflow of the upload', async (command) => {
    const enhancement = await storedEnhancement(gateway, upload, { status: 'AWAITING_APPROVAL' });
    gateway.temporal.onUpdate = () => ({ ...enhancement, status: 'QUEUED' });
    const response = await post(`/v1/enhancements/${enhancement.id}/${command}`);
    expect([response.status, (await response.json()).status]).toEqual([202, 'QUEUED']);
    expect(gateway.temporal.updates).toMatchObject([
      { workflowId: `upload/${upload.id}`, name: `${command}Enhancement`, args: [{ enhancementId: enhancement.id }] },
    ]);
  });

  test('are sent again while a workflow is behind its record, which already awaits one', async () => {
    const enhancement = await storedEnhancement(gateway, upload, { status: 'AWAITING_APPROVAL' });
    const refuse = (): never => {
      const cause = ApplicationFailure.create({ type: 'CONFLICT', message: 'The enhancement is QUEUED.' });
      throw new WorkflowUpdateFailedError('Workflow Update failed', cause);
    };
    gateway.temporal.onUpdate = () =>
      gateway.temporal.updates.length < 3 ? refuse() : { ...enhancement, status: 'QUEUED' };
    const response = await post(`/v1/enhancements/${enhancement.id}/approve`);
    expect([response.status, gateway.temporal.updates.length]).toEqual([202, 3]);

    gateway.temporal.onUpdate = async () => {
      await gateway.records.enhancements.project({ ...enhancement, revision: 9, status: 'FINISHED' });
      return refuse();
    };
    expect((await post(`/v1/enhancements/${enhancement.id}/approve`)).status).toBe(409);
    expect(gateway.temporal.updates).toHaveLength(4);
  });

  test('with one key send one update', async () => {
    const enhancement = await storedEnhancement(gateway, upload);
    gateway.temporal.onUpdate = () => enhancement;
    for (let i = 0; i < 2; i += 1)
      await post(`/v1/enhancements/${enhancement.id}/approve`, {}, { 'Idempotency-Key': 'a-1' });
    const [first, second] = gateway.temporal.updates;
    expect(second!.updateId).toBe(first!.updateId);
  });

  test('after its end: cancel and approve are refused, a repeated approve gets the same answer', async () => {
    const enhancement = await storedEnhancement(gateway, upload, { status: 'AWAITING_APPROVAL' });
    gateway.temporal.onUpdate = () => ({ ...enhancement, status: 'QUEUED' });
    await post(`/v1/enhancements/${enhancement.id}/approve`, {}, { 'Idempotency-Key': 'a-2' });
    await gateway.records.enhancements.project({ ...enhancement, revision: 9, status: 'FINISHED' });
    gateway.temporal.onUpdate = ended;
    const again = await post(`/v1/enhancements/${enhancement.id}/approve`, {}, { 'Idempotency-Key': 'a-2' });
    expect([again.status, (await again.json()).status]).toEqual([202, 'FINISHED']);
    const late = await post(`/v1/enhancements/${enhancement.id}/approve`);
    expect(await late.json()).toMatchObject({ code: 'CONFLICT', detail: expect.stringContaining('FINISHED') });
    const cancelled = await post(`/v1/enhancements/${enhancement.id}/cancel`);
    expect([cancelled.status, (await cancelled.json()).code]).toEqual([409, 'CONFLICT']);
  });
});

describe('cancelling an enhancement', () => {
  const cancel = async (id: string): Promise<TestResponse> => post(`/v1/enhancements/${id}/cancel`);

  test('sends one update to the workflow of its upload', async () => {
    const enhancement = await storedEnhancement(gateway, upload);
    gateway.temporal.onUpdate = () => ({ ...enhancement, status: 'CANCELLED' });
    const response = await cancel(enhancement.id);
    expect([response.status, (await response.json()).status]).toEqual([202, 'CANCELLED']);
    expect(gateway.temporal.updates.map(({ name, workflowId, args }) => [name, workflowId, args])).toEqual([
      ['cancelEnhancement', `upload/${upload.id}`, [{ enhancementId: enhancement.id }]],
    ]);
  });

  test('is refused if the enhancement has just finished, and not if it has just been cancelled', async () => {
    for (const [status, httpStatus] of [
      ['FINISHED', 409],
      ['CANCELLED', 202],
    ] as const) {
      const enhancement = await storedEnhancement(gateway, upload);
      gateway.temporal.onUpdate = async () => {
        await gateway.records.enhancements.project({ ...enhancement, revision: 3, status });
        return null;
      };
      expect((await cancel(enhancement.id)).status).toBe(httpStatus);
      expect((await cancel(enhancement.id)).status).toBe(httpStatus);
    }
  });

  test('leaves an entry in the audit log, and none if the enhancement finishes meanwhile', async () => {
    for (const [status, entries] of [
      ['CANCELLED', 1],
      ['FINISHED', 0],
    ] as const) {
      const { accountId, ...enhancement } = await storedEnhancement(gateway, upload);
      gateway.temporal.onUpdate = () => ({ ...enhancement, accountId, status });
      await cancel(enhancement.id);
      const found = await gateway.records.audit.subjectsOf(accountId, 'enhancement.cancel', [enhancement.id]);
      expect(found).toHaveLength(entries);
    }
  });

  test('can be repeated if the workflow does not know the enhancement', async () => {
    const enhancement = await storedEnhancement(gateway, upload);
    gateway.temporal.onUpdate = ended;
    const response = await cancel(enhancement.id);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });
});

describe('commands to an upload', () => {
  test('delete it with one update, and return its tombstone afterwards', async () => {
    const doomed = await storedUpload(gateway);
    const tombstone = {
      ...doomed,
      revision: 2,
      status: 'UPLOAD_DELETED',
      objectKey: null,
      deletionReason: 'user',
      deletedAt: doomed.createdAt,
    };
    gateway.temporal.onUpdate = async () => {
      await gateway.records.uploads.project(tombstone as Upload);
      return tombstone;
    };
    for (let i = 0; i < 2; i += 1) {
      const response = await gateway.fetch(`/v1/uploads/${doomed.id}`, { method: 'DELETE' });
      expect(response.status).toBe(202);
      expect(await response.json()).toMatchObject({
        id: doomed.id,
        status: 'UPLOAD_DELETED',
        deletionReason: 'user',
        url: null,
      });
    }
    expect(gateway.temporal.updates).toMatchObject([{ name: 'deleteUpload', workflowId: `upload/${doomed.id}` }]);
  });

  test('analyze it again with one update', async () => {
    gateway.temporal.onUpdate = () => ({ ...upload, subStatus: 'METADATA_ANALYZING' });
    const response = await post(`/v1/uploads/${upload.id}/analyze`);
    expect([response.status, (await response.json()).subStatus]).toEqual([202, 'METADATA_ANALYZING']);
  });
});

test('GET /v1/credits shows the balance of the month', async () => {
  expect(await (await gateway.fetch('/v1/credits')).json()).toMatchObject({
    remainingCreditsThisPeriod: 100,
    usedCreditsThisPeriod: 0,
    reservedCreditsThisPeriod: 0,
  });
});
