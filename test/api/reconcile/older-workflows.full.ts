import { eq } from 'drizzle-orm';
import { describe, expect, test } from '@jest/globals';
import { SEED_PLANS, isTerminal, type Enhancement, Failure, type Upload } from '@burnish/contract';
import { reconcileUpload } from '../../../src/api/reconcile/reconcile-upload.ts';
import { compareSuspects, reconcile, type Reconciled } from '../../../src/api/reconcile/reconcile.ts';
import { PATIENCE_MS } from '../../../src/api/reconcile/suspects.ts';
import { uploadWorkflow } from '../../../src/api/uploads/start-upload.ts';
import { changes } from '../../../src/database/schema/changes.ts';
import { enhancements as enhancementTable } from '../../../src/database/schema/enhancements.ts';
import { uploads as uploadTable } from '../../../src/database/schema/uploads.ts';
import { creditsChanged, uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';
import { until } from '../../support/until.ts';
import { withShortHistory, workflowBundle } from '../../support/workflow-bundle.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';

const living = useLivingGateway({ bundle: withShortHistory(workflowBundle) });
let seed = 500;

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Body = any;
interface Moment {
  upload: Upload;
  open: Enhancement[];
}

const json = { 'Content-Type': 'application/json' };
const X2 = '{"upscalingFactor":"X2"}';
const OVER_LIMIT = '{"upscalingFactor":"X2","maxCredits":1}';

async function call(method: string, path: string, body?: string): Promise<{ status: number; body: Body }> {
  const init = { method, ...(body === undefined ? {} : { headers: json, body }) };
  const response = await living.gateway.fetch(path, init);
  return { status: response.status, body: await response.json() };
}
const read = async (id: string): Promise<Body> => (await call('GET', `/v1/uploads/${id}`)).body;
const balance = () => living.gateway.records.ledger.balance(living.gateway.account.id, Date.now());
const reaches = (id: string, status: string): Promise<void> =>
  poll(async () => (await call('GET', `/v1/enhancements/${id}`)).body.status, { timeout: 30_000 }).toBe(status);

/** Sends a photo, and waits until it is received. */
async function finished(): Promise<string> {
  const body = new Uint8Array(await jpeg((seed += 1)));
  const response = await living.gateway.fetch('/v1/uploads', {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body,
  });
  const { id } = await response.json();
  await poll(async () => (await read(id)).status, { timeout: 30_000 }).toBe('UPLOAD_FINISHED');
  return id;
}

async function order(uploadId: string, enhancement: string, status: string): Promise<string> {
  const body = `{"enhancements":[${enhancement}]}`;
  const { body: accepted } = await call('POST', `/v1/uploads/${uploadId}/enhancements`, body);
  const [{ id }] = accepted.enhancements;
  await reaches(id, status);
  return id;
}

/** The present state of an upload, as a workflow of a later backup would have it. */
async function moment(id: string): Promise<Moment> {
  const { uploads, enhancements } = living.gateway.records;
  const upload = (await uploads.find(id))!;
  const all = await enhancements.listForUpload(upload.accountId, id);
  return { upload, open: all.filter(({ status }) => !isTerminal(status)) };
}

/** Replaces the workflow of an upload by one with an earlier state, as a restore of Temporal does. */
async function goBackTo({ upload, open }: Moment): Promise<void> {
  const handle = living.client.workflow.getHandle(uploadWorkflowId(upload.id));
  await handle.terminate('goes back').catch(() => undefined);
  const { objectKey, file } = upload;
  const source = { kind: 'stored', objectKey: objectKey!, file: file! } as const;
  const input = { initial: upload, source, plan: SEED_PLANS.BASIC, enhancements: [], resume: open };
  await living.client.workflow.start('upload', uploadWorkflow(input, { searchNames: false, again: true }));
}

/** An engine that works until the function is called, or until it is cancelled. */
function holdEngine(): () => void {
  const gate = createGate();
  living.provider.script.enhance = (_job, { signal }) => {
    const cancelled = new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    return Promise.race([gate.opened, cancelled]);
  };
  return () => {
    living.provider.script = {};
    gate.open();
  };
}

/** An enhancement that the engine works on until `release`, and the moments before and after its order. */
async function processing() {
  const id = await finished();
  const before = await moment(id);
  const release = holdEngine();
  const enhancementId = await order(id, X2, 'PROCESSING');
  return { id, enhancementId, before, during: await moment(id), release };
}

const { signal } = new AbortController();
const compareAgain = (): Promise<Reconciled> => compareSuspects(living.reconciling, signal);

/** Compares everything, and half a minute later again what was older. */
async function sweep(): Promise<Reconciled> {
  living.gateway.clock.aheadMs += 60_000;
  const first = await reconcile(living.reconciling, signal);
  living.gateway.clock.aheadMs += PATIENCE_MS;
  const second = await compareAgain();
  return {
    revived: first.revived + second.revived,
    recorded: first.recorded + second.recorded,
    failed: first.failed + second.failed,
  };
}

/** Compares what a command reported, and half a minute later again. */
async function compareReported(): Promise<void> {
  await compareAgain();
  living.gateway.clock.aheadMs += PATIENCE_MS;
  await compareAgain();
}

const workflowOf = (id: string) => living.client.workflow.getHandle(uploadWorkflowId(id));
const describeRun = (id: string) => workflowOf(id).describe();
const openOf = (id: string) => workflowOf(id).query<unknown[]>('openEnhancements');

/** Sends a command that needs the records' state. Its older workflow is left alone until the reconciler replaces it. */
async function afterItsReplacement(id: string, command: () => ReturnType<typeof call>): Promise<Body> {
  const before = await describeRun(id);
  const early = await command();
  expect([early.status, early.body.code]).toEqual([503, 'UNAVAILABLE']);
  const after = await describeRun(id);
  expect([after.runId, after.status.name]).toEqual([before.runId, 'RUNNING']);
  await compareReported();
  const { status, body } = await command();
  expect(status).toBe(202);
  return body;
}

describe('an enhancement that its workflow does not know', () => {
  test('is cancelled on command, and its credits are released', async () => {
    const before = await balance();
    const { id, enhancementId, before: earlier, release } = await processing();
    expect((await balance()).reserved).toBe(before.reserved + 4);
    await goBackTo(earlier);
    const body = await afterItsReplacement(id, () => call('POST', `/v1/enhancements/${enhancementId}/cancel`));
    release();
    expect(body.status).toBe('CANCELLED');
    expect(await balance()).toEqual(before);
  });

  test('is approved on command, and finishes', async () => {
    const id = await finished();
    const earlier = await moment(id);
    const enhancementId = await order(id, OVER_LIMIT, 'AWAITING_APPROVAL');
    await goBackTo(earlier);
    await afterItsReplacement(id, () => call('POST', `/v1/enhancements/${enhancementId}/approve`));
    await reaches(enhancementId, 'FINISHED');
  });

  test('is cancelled with its upload, and its credits are released', async () => {
    const before = await balance();
    const { id, enhancementId, before: earlier, release } = await processing();
    await goBackTo(earlier);
    const { status, body } = await call('DELETE', `/v1/uploads/${id}`);
    release();
    expect([status, body.status]).toEqual([202, 'UPLOAD_DELETED']);
    await reaches(enhancementId, 'CANCELLED');
    expect(await balance()).toEqual(before);
  });

  test('is found by the sweep, finished and charged once', async () => {
    const before = await balance();
    const { enhancementId, before: earlier, release } = await processing();
    await goBackTo(earlier);
    release();
    expect(await sweep()).toEqual({ revived: 1, recorded: 0, failed: 0 });
    await reaches(enhancementId, 'FINISHED');
    expect(await balance()).toMatchObject({ reserved: before.reserved, used: before.used + 4 });
    expect(await sweep()).toEqual({ revived: 0, recorded: 0, failed: 0 });
  });
});

describe('a workflow that is older than its records', () => {
  /** A workflow that does not know an enhancement with an open record */
  async function older(): Promise<{ id: string; runId: string }> {
    const id = await finished();
    const earlier = await moment(id);
    await order(id, OVER_LIMIT, 'AWAITING_APPROVAL');
    await goBackTo(earlier);
    return { id, runId: (await describeRun(id)).runId };
  }

  test('is replaced by the second of two comparisons that are half a minute apart', async () => {
    const { id, runId } = await older();
    const compareAt = async (aheadMs: number): Promise<string> => {
      living.gateway.clock.aheadMs = aheadMs;
      return await reconcileUpload(living.reconciling, id);
    };
    expect(await compareAt(0)).toBe('behind');
    expect(await compareAt(PATIENCE_MS / 2)).toBe('behind');
    expect((await describeRun(id)).runId).toBe(runId);
    expect(await compareAt(PATIENCE_MS)).toBe('revived');
    expect((await describeRun(id)).runId).not.toBe(runId);
  });

  test('is replaced after it has continued as new', async () => {
    const { id, runId } = await older();
    const compared = () => reconcileUpload(living.reconciling, id);
    expect(await compared()).toBe('behind');
    // A history of 150 events is too long here. While signals arrive, the workflow cannot continue as new.
    await Promise.all(Array.from({ length: 150 }, () => workflowOf(id).signal(creditsChanged)));
    await poll(async () => (await describeRun(id)).runId !== runId, { timeout: 30_000 }).toBe(true);
    living.gateway.clock.aheadMs += PATIENCE_MS;
    await until(compared, (outcome) => outcome === 'revived', { withinMs: 10_000 });
  }, 60_000);

  test('is not replaced while a workflow task is under way', async () => {
    const { id, runId } = await older();
    const { workflow } = living.client;
    const busy = (workflowId: string) => {
      const handle = workflow.getHandle(workflowId);
      const describe = async () => {
        const description = await handle.describe();
        return { ...description, raw: { ...description.raw, pendingWorkflowTask: { attempt: 1 } } };
      };
      return { ...handle, describe };
    };
    const client = { withDeadline: living.client.withDeadline.bind(living.client), workflow: { getHandle: busy } };
    const deps = { ...living.reconciling, client: client as unknown as typeof living.client };
    for (let comparisons = 0; comparisons < 3; comparisons += 1) {
      expect(await reconcileUpload(deps, id)).toBe('behind');
      living.gateway.clock.aheadMs += PATIENCE_MS;
    }
    expect((await describeRun(id)).runId).toBe(runId);
    expect(await reconcileUpload(living.reconciling, id)).toBe('revived');
  });
});

test('an older workflow is replaced while its caller repeats a command without a pause', async () => {
  const id = await finished();
  const earlier = await moment(id);
  const enhancementId = await order(id, OVER_LIMIT, 'AWAITING_APPROVAL');
  await goBackTo(earlier);
  const approve = () => call('POST', `/v1/enhancements/${enhancementId}/approve`);
  // The first answer reports the upload.
  expect((await approve()).status).toBe(503);
  const caller = until(approve, ({ status }) => status === 202);
  let replaced = false;
  for (let count = 0; !replaced && count < 20; count += 1, living.gateway.clock.aheadMs += PATIENCE_MS)
    replaced = (await compareAgain()).revived > 0;
  expect(replaced).toBe(true);
  await caller;
  await reaches(enhancementId, 'FINISHED');
});

describe('an approval', () => {
  const questions = async (id: string): Promise<number> => {
    const feed = await living.gateway.records.changes.listSince(living.gateway.account.id, id, 0, 100);
    return feed.filter(({ snapshot }) => snapshot.status === 'AWAITING_APPROVAL').length;
  };

  test.each(['lost', 'older'])('remains given when the workflow is %s', async (how) => {
    const id = await finished();
    const enhancementId = await order(id, OVER_LIMIT, 'AWAITING_APPROVAL');
    const waiting = await moment(id);
    const release = holdEngine();
    expect((await call('POST', `/v1/enhancements/${enhancementId}/approve`)).status).toBe(202);
    await reaches(enhancementId, 'PROCESSING');
    if (how === 'older') await goBackTo(waiting);
    else await living.loseWorkflows();
    release();
    expect((await sweep()).revived).toBeGreaterThan(0);
    await reaches(enhancementId, 'FINISHED');
    expect(await questions(id)).toBe(1);
  });

  test('is requested once, and accepted by a workflow that was started again', async () => {
    const id = await finished();
    const enhancementId = await order(id, OVER_LIMIT, 'AWAITING_APPROVAL');
    await living.loseWorkflows();
    const { status } = await call('POST', `/v1/enhancements/${enhancementId}/approve`);
    expect(status).toBe(202);
    await reaches(enhancementId, 'FINISHED');
    expect(await questions(id)).toBe(1);
  });
});

describe('a workflow that repeats work which the records have finished', () => {
  test('is replaced', async () => {
    const { id, enhancementId, during: earlier, release } = await processing();
    release();
    await reaches(enhancementId, 'FINISHED');
    const before = await balance();
    const hold = holdEngine();
    await goBackTo(earlier);
    // The workflow refuses the command, because it runs what the records have finished.
    expect((await call('POST', `/v1/enhancements/${enhancementId}/approve`)).status).toBe(409);
    await compareReported();
    expect(await openOf(id)).toEqual([]);
    hold();
    expect(await balance()).toEqual(before);
    expect((await call('GET', `/v1/enhancements/${enhancementId}`)).body.status).toBe('FINISHED');
  });

  test('does not delete its result, even if the repetition fails', async () => {
    const { id, enhancementId, during: earlier, release } = await processing();
    release();
    await reaches(enhancementId, 'FINISHED');
    const { result } = (await living.gateway.records.enhancements.get(living.gateway.account.id, enhancementId))!;
    const calls = (): number => living.provider.calls.filter((each) => each === `enhance ${enhancementId}`).length;
    const before = calls();
    living.provider.script.enhance = () => Promise.reject(new Failure('CORRUPT_FILE'));
    await goBackTo(earlier);
    await poll(calls, { timeout: 30_000 }).toBe(before + 1);
    await poll(async () => (await openOf(id)).length, { timeout: 30_000 }).toBe(0);
    expect((await living.store.head(result!.objectKey))?.sha256).toBe(result!.sha256);
    expect((await call('GET', `/v1/enhancements/${enhancementId}`)).body.status).toBe('FINISHED');
  });

  test('of a deleted upload ends', async () => {
    const id = await finished();
    const earlier = await moment(id);
    await call('DELETE', `/v1/uploads/${id}`);
    await poll(() => living.isRunning(id)).toBe(false);
    await goBackTo(earlier);
    expect(await living.isRunning(id)).toBe(true);
    await sweep();
    await poll(() => living.isRunning(id)).toBe(false);
    expect((await read(id)).status).toBe('UPLOAD_DELETED');
  });
});

describe('a database that is older than its workflows', () => {
  test('gets back an enhancement that it does not know', async () => {
    const id = await finished();
    const enhancementId = await order(id, X2, 'FINISHED');
    const before = await balance();
    const { orm } = living.gateway.database;
    await orm.delete(changes).where(eq(changes.subjectId, enhancementId));
    await orm.delete(enhancementTable).where(eq(enhancementTable.id, enhancementId));
    expect((await call('GET', `/v1/enhancements/${enhancementId}`)).status).toBe(404);
    expect(await sweep()).toEqual({ revived: 0, recorded: 1, failed: 0 });
    const { body } = await call('GET', `/v1/enhancements/${enhancementId}`);
    expect([body.status, body.chargedCredits]).toEqual(['FINISHED', 4]);
    expect(await balance()).toEqual(before);
  });

  test('gets the state of an enhancement that waits', async () => {
    const id = await finished();
    const enhancementId = await order(id, OVER_LIMIT, 'AWAITING_APPROVAL');
    const { orm } = living.gateway.database;
    const earlier = { status: 'QUEUED', waitingFor: null, revision: 0 } as const;
    await orm.update(enhancementTable).set(earlier).where(eq(enhancementTable.id, enhancementId));
    expect(await sweep()).toEqual({ revived: 0, recorded: 1, failed: 0 });
    await reaches(enhancementId, 'AWAITING_APPROVAL');
    expect((await call('POST', `/v1/enhancements/${enhancementId}/approve`)).status).toBe(202);
    await reaches(enhancementId, 'FINISHED');
  });

  test('gets the deletion of an upload again', async () => {
    const id = await finished();
    const { upload } = await moment(id);
    await call('DELETE', `/v1/uploads/${id}`);
    await poll(() => living.isRunning(id)).toBe(false);
    const { orm } = living.gateway.database;
    const { status, revision, objectKey, deletedAt, deletionReason } = upload;
    const earlier = { status, revision, objectKey, deletedAt, deletionReason };
    await orm.update(uploadTable).set(earlier).where(eq(uploadTable.id, id));
    await sweep();
    expect(await read(id)).toMatchObject({ status: 'UPLOAD_DELETED', deletionReason: 'user' });
    expect(await living.isRunning(id)).toBe(false);
  });
});

test('the file of a signed URL that arrived before the loss of its workflow is accepted', async () => {
  const photo = new Uint8Array(await jpeg((seed += 1)));
  const given = JSON.stringify({ filename: 'a.jpg', filesize: photo.length, mimetype: 'image/jpeg' });
  const { body: announced } = await call('POST', '/v1/uploads/signed', given);
  const { pathname, search } = new URL(announced.uploadUrl);
  const sent = await living.gateway.fetch(`${pathname}${search}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'image/jpeg' },
    body: photo,
  });
  expect(sent.status).toBeLessThan(300);
  await living.loseWorkflows();
  const { status } = await call('POST', `/v1/uploads/${announced.id}/complete`);
  expect(status).toBe(202);
  await poll(async () => (await read(announced.id)).status, { timeout: 30_000 }).toBe('UPLOAD_FINISHED');
});
