import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pdfWithPhoto, photo } from '../../e2e/files.ts';
import { listenHttp } from '../../support/local-server.ts';
import { until } from '../../support/until.ts';
import { startFarSide, type FarSide } from '../../hosted/second-instance.ts';
import { ACCOUNT, nearActivities, type NearActivities } from './near-side.ts';
import type { Input } from '../../../src/activities/inputs/schemas.ts';

let far: FarSide;
let near: NearActivities;
let picture: Buffer;

beforeAll(async () => {
  far = await startFarSide();
  near = await nearActivities(far);
  picture = await photo(7);
});
afterAll(async () => {
  // An instance is missing if its start failed.
  await (near as NearActivities | undefined)?.[Symbol.asyncDispose]();
  await (far as FarSide | undefined)?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  far.proxy.calls.length = 0;
});

const LOST = { type: 'ANSWER_LOST', nonRetryable: true };
const transferred = async (job: Input<'placeRemoteUpload'>): Promise<string> =>
  (await near.run.placeRemoteUpload(job)).remoteUploadId;
const uploadsThere = async (): Promise<number> =>
  (await far.instance.api.get<{ items: unknown[] }>('/v1/uploads?limit=100')).body.items.length;
const enhancementsOf = async (remoteUploadId: string): Promise<string[]> =>
  (
    await far.instance.api.get<{ enhancements: { id: string }[] }>(`/v1/uploads/${remoteUploadId}`)
  ).body.enhancements.map(({ id }) => id);

async function readyUpload(file = picture): Promise<{ job: Input<'placeRemoteUpload'>; remoteUploadId: string }> {
  const job = await near.stored(file, 'image/jpeg');
  const remoteUploadId = await transferred(job);
  await until(async () => ((await near.run.readRemoteUpload({ remoteUploadId })).file === 'ready' ? true : undefined));
  return { job, remoteUploadId };
}

async function anEnhancement(
  parameters: Input<'beginRemoteEnhancement'>['parameters'] = {},
): Promise<Input<'beginRemoteEnhancement'>> {
  const { remoteUploadId } = await readyUpload();
  const enhancementId = near.newEnhancementId();
  return { accountId: ACCOUNT, enhancementId, remoteUploadId, mimetype: 'image/jpeg', parameters };
}

const finished = (remoteEnhancementId: string) =>
  until(async () => {
    const remote = await near.run.readRemoteEnhancement({ remoteEnhancementId });
    return remote.status === 'running' ? undefined : remote;
  });

describe('transferring an original to the hosted service', () => {
  test('streams the original from local storage once, with the requested retention', async () => {
    const job = { ...(await near.stored(picture, 'image/jpeg')), retentionDays: 12 };
    const remoteUploadId = await transferred(job);
    const { body } = await far.instance.api.get<Record<string, unknown>>(`/v1/uploads/${remoteUploadId}`);
    expect(body).toMatchObject({
      originalFilename: `${job.source.uploadId}.jpg`,
      filesize: picture.length,
      retentionDays: 12,
    });
    expect(await transferred(job)).toBe(remoteUploadId);
    expect(far.proxy.acted('PutFile')).toHaveLength(1);
    expect(far.proxy.acted('PutFile')[0]!.headers).not.toHaveProperty('x-api-key');
  });

  test('passes on the source URL if the upload has one', async () => {
    await using server = await listenHttp((_req, res) => res.end(picture));
    const job = { ...(await near.stored(picture, 'image/jpeg')), url: `${server.url}/photo.jpg` };
    const remoteUploadId = await transferred(job);
    expect(await transferred(job)).toBe(remoteUploadId);
    await until(async () =>
      (await near.run.readRemoteUpload({ remoteUploadId })).file === 'ready' ? true : undefined,
    );
    expect(far.proxy.acted('PutFile')).toHaveLength(0);
  });

  test('sends the file if the service refuses its URL', async () => {
    const job = { ...(await near.stored(picture, 'image/jpeg')), url: 'http://10.0.0.1/photo.jpg' };
    const remoteUploadId = await transferred(job);
    expect(await near.run.readRemoteUpload({ remoteUploadId })).toMatchObject({ id: remoteUploadId });
    expect(far.proxy.acted('PutFile')).toHaveLength(1);
  });

  test.each([
    ['the announcement', 'CreateSignedUploadUrl'],
    ['the file', 'PutFile'],
    ['the completion', 'CompleteSignedUpload'],
  ])('continues with the same upload if the answer to %s was lost', async (_what, operation) => {
    const before = await uploadsThere();
    const job = await near.stored(picture, 'image/jpeg');
    far.proxy.next(operation, { kind: 'drop' });
    expect(await near.fails('placeRemoteUpload', job)).toMatchObject({
      type: 'PROVIDER_UNAVAILABLE',
      nonRetryable: false,
    });
    const remoteUploadId = await transferred(job);
    await until(async () =>
      (await near.run.readRemoteUpload({ remoteUploadId })).file === 'ready' ? true : undefined,
    );
    expect((await uploadsThere()) - before).toBe(1);
  });

  test('starts again if the earlier attempt failed at the service', async () => {
    const job = await near.stored(picture, 'image/jpeg');
    far.proxy.next('PutFile', { kind: 'reset' });
    await near.fails('placeRemoteUpload', job);
    const [{ remoteId } = { remoteId: '' }] = await near.deps.hostedIds.of('upload', job.source.uploadId);
    await near.deps.hostedApi.deleteUpload(remoteId);
    const remoteUploadId = await transferred(job);
    expect(remoteUploadId).not.toBe(remoteId);
    expect(await near.run.readRemoteUpload({ remoteUploadId })).toMatchObject({ size: picture.length });
  });

  test('keeps uploads with different retention apart', async () => {
    const jobs = await Promise.all(
      [3, 40, 3, 40, 5].map(async (retentionDays) => ({
        ...(await near.stored(picture, 'image/jpeg')),
        retentionDays,
      })),
    );
    const ids = await Promise.all(jobs.map(transferred));
    const days = await Promise.all(
      ids.map(
        async (id) => (await far.instance.api.get<{ retentionDays: number }>(`/v1/uploads/${id}`)).body.retentionDays,
      ),
    );
    expect(days).toEqual([3, 40, 3, 40, 5]);
  });

  test('continues if the service refuses the retention', async () => {
    far.proxy.next('UpdateFileRetention', {
      kind: 'status',
      status: 200,
      body: JSON.stringify({ data: null, errors: [{ message: 'too long', extensions: { code: 'BAD_USER_INPUT' } }] }),
    });
    await transferred({ ...(await near.stored(picture, 'image/jpeg')), retentionDays: 364 });
  });

  test('is compensated by deleting every transferred upload, also one that no longer exists', async () => {
    const { job, remoteUploadId } = await readyUpload();
    await near.run.deleteRemoteUpload({ uploadId: job.source.uploadId });
    const { body } = await far.instance.api.get<{ status: string }>(`/v1/uploads/${remoteUploadId}`);
    expect(body.status).toBe('UPLOAD_DELETED');
    expect(await near.deps.hostedIds.find('upload', remoteUploadId)).toBeUndefined();
    await near.run.deleteRemoteUpload({ uploadId: job.source.uploadId });
  });
});

test('the hosted client reads the analysis of a PDF and can request a new one', async () => {
  const job = await near.stored(await pdfWithPhoto(), 'application/pdf');
  const remoteUploadId = await transferred(job);
  const upload = await until(async () => {
    const remote = await near.run.readRemoteUpload({ remoteUploadId });
    return remote.analysis === 'running' ? undefined : remote;
  });
  expect(upload).toMatchObject({ file: 'ready', analysis: 'done', pdf: { statistics: { pages: 1, images: 1 } } });
  await near.run.analyzeRemoteUpload({ remoteUploadId });
});

test('an upload that the hosted service does not know is reported as not found', async () => {
  expect(await near.fails('readRemoteUpload', { remoteUploadId: `upl_${'0'.repeat(26)}` })).toMatchObject({
    type: 'NOT_FOUND',
    nonRetryable: true,
  });
});

test('the hosted client reports the remaining credits of the service', async () => {
  const { remaining } = await near.run.readRemoteCredits();
  expect(remaining).toBe((await far.instance.api.credits()).remaining);
});

describe('an enhancement at the hosted service', () => {
  test('starts, reports its state and returns its result', async () => {
    const { job: upload, remoteUploadId } = await readyUpload();
    const enhancementId = near.newEnhancementId();
    const job = { accountId: ACCOUNT, enhancementId, remoteUploadId, mimetype: 'image/jpeg' as const };
    const parameters = { mode: 'VIVID', upscalingFactor: 'X2' } as const;
    const { remoteEnhancementId } = await near.run.beginRemoteEnhancement({ ...job, parameters });
    expect(await near.deps.hostedIds.find('enhancement', remoteEnhancementId)).toMatchObject({
      subjectId: enhancementId,
      accountId: ACCOUNT,
    });
    expect(await finished(remoteEnhancementId)).toMatchObject({ status: 'finished', errorCode: null });
    const resultKey = `${ACCOUNT}/${upload.source.uploadId}/${enhancementId}`;
    const result = await near.run.collectRemoteResult({
      enhancementId,
      remoteEnhancementId,
      source: upload.source,
      resultKey,
    });
    expect(result).toMatchObject({ objectKey: resultKey, mimetype: 'image/jpeg', width: 800, height: 600 });
    expect(result.filename).toBe('holiday.jpeg');
    expect(await near.deps.store.head(resultKey)).toMatchObject({ size: result.size, sha256: result.sha256 });
  });

  test('of another account is not started, and its result is not downloaded for another enhancement', async () => {
    const { job: upload, remoteUploadId } = await readyUpload();
    const enhancementId = near.newEnhancementId();
    const job = { accountId: ACCOUNT, enhancementId, remoteUploadId, mimetype: 'image/jpeg' as const, parameters: {} };
    const foreign = { ...job, accountId: `acc_${'2'.repeat(26)}`, enhancementId: near.newEnhancementId() };
    for (const name of ['beginRemoteEnhancement', 'findLostEnhancement'] as const) {
      expect(await near.fails(name, { ...foreign, sinceMs: 0 })).toMatchObject({ type: 'PROVIDER_REJECTED' });
    }
    expect(await enhancementsOf(remoteUploadId)).toHaveLength(0);

    const { remoteEnhancementId } = await near.run.beginRemoteEnhancement(job);
    await finished(remoteEnhancementId);
    const resultKey = `${foreign.accountId}/${upload.source.uploadId}/${foreign.enhancementId}`;
    const wanted = { remoteEnhancementId, source: upload.source, resultKey };
    for (const each of [enhancementId, foreign.enhancementId]) {
      expect(await near.fails('collectRemoteResult', { ...wanted, enhancementId: each })).toMatchObject({
        type: 'PROVIDER_REJECTED',
      });
    }
    expect(await near.deps.store.head(resultKey)).toBeUndefined();
  });

  test.each([
    ['the answer is dropped', { kind: 'drop' }, 1],
    ['the answer is cut', { kind: 'cut' }, 1],
    ['the connection breaks', { kind: 'reset' }, 0],
    ['something in between gives up', { kind: 'replace', status: 504, body: '' }, 1],
    ['the answer is no JSON', { kind: 'replace', status: 200, body: '<html>' }, 1],
  ] as const)('after %s is found again, or reported as not started', async (_what, fault, begun) => {
    const job = await anEnhancement({ mode: 'NATURAL' });
    const sinceMs = Date.now();
    far.proxy.next('CreateEnhancedImage', fault);
    expect(await near.fails('beginRemoteEnhancement', job)).toMatchObject(LOST);
    const there = await enhancementsOf(job.remoteUploadId);
    expect(there).toHaveLength(begun);
    const found = await near.run.findLostEnhancement({ ...job, sinceMs });
    expect(found).toEqual(begun === 1 ? { remoteEnhancementId: there[0] } : null);
  });

  test('is not started twice by a service that knows the idempotency key', async () => {
    const job = await anEnhancement();
    far.proxy.next('CreateEnhancedImage', { kind: 'drop' });
    await near.fails('beginRemoteEnhancement', job);
    await near.run.beginRemoteEnhancement(job);
    expect(await enhancementsOf(job.remoteUploadId)).toHaveLength(1);
  });

  test.each([
    ['a limit', { kind: 'status', status: 429, headers: { 'retry-after': '9' } }, 'RATE_LIMITED', false, 9_000],
    ['a refused key', { kind: 'status', status: 401 }, 'PROVIDER_REJECTED', true, undefined],
    [
      '503 with a time',
      { kind: 'status', status: 503, headers: { 'retry-after': '4' } },
      'PROVIDER_UNAVAILABLE',
      false,
      4_000,
    ],
  ] as const)('is certainly not started after %s', async (_what, fault, type, nonRetryable, nextRetryDelay) => {
    const job = await anEnhancement();
    far.proxy.next('CreateEnhancedImage', fault);
    const failure = await near.fails('beginRemoteEnhancement', job);
    expect(failure).toMatchObject({ type, nonRetryable });
    expect(failure.nextRetryDelay).toBe(nextRetryDelay);
    expect(await enhancementsOf(job.remoteUploadId)).toHaveLength(0);
  });

  test('is certainly not started if the connection is refused', async () => {
    const job = await anEnhancement();
    await far.proxy.down();
    const failure = await near.fails('beginRemoteEnhancement', job);
    await far.proxy.up();
    expect(failure).toMatchObject({ type: 'PROVIDER_UNAVAILABLE', nonRetryable: false });
  });

  test('is refused with the code of the service', async () => {
    const { remoteUploadId } = await readyUpload();
    const job = { accountId: ACCOUNT, enhancementId: near.newEnhancementId(), remoteUploadId, mimetype: 'image/jpeg' };
    const parameters = { targetResolution: 300 };
    const failure = await near.fails('beginRemoteEnhancement', { ...job, mimetype: 'image/jpeg', parameters });
    expect(failure).toMatchObject({ type: 'BAD_USER_INPUT', nonRetryable: true });
  });

  test('is identified by its parameters among others of its upload, and assigned once', async () => {
    const { remoteUploadId } = await readyUpload();
    const common = { accountId: ACCOUNT, remoteUploadId, mimetype: 'image/jpeg' as const };
    const sinceMs = Date.now();
    const jobs = (['VIVID', 'NATURAL', 'VIVID'] as const).map((mode) => ({
      ...common,
      enhancementId: near.newEnhancementId(),
      parameters: { mode, sharpening: 0.5 },
      sinceMs,
    }));
    far.proxy.next('CreateEnhancedImage', { kind: 'drop' }, 3);
    for (const job of jobs) await near.fails('beginRemoteEnhancement', job);
    const found = await Promise.all(jobs.map(near.run.findLostEnhancement));
    expect(new Set(found.map((each) => each?.remoteEnhancementId)).size).toBe(3);
    const { body } = await far.instance.api.get<{ parameters: { mode: string } }>(
      `/v1/enhancements/${found[1]!.remoteEnhancementId}`,
    );
    expect(body.parameters.mode).toBe('NATURAL');
    expect(await Promise.all(jobs.map(near.run.findLostEnhancement))).toEqual(found);
  });
});

describe('an enhancement at a service without a list of enhancements', () => {
  let plain: NearActivities;
  let reveal: () => void;

  beforeAll(async () => {
    reveal = far.proxy.always('SchemaFields', { kind: 'replace', status: 200, body: '{"data":{}}' });
    plain = await nearActivities(far);
  });
  afterAll(async () => {
    reveal();
    await plain[Symbol.asyncDispose]();
  });

  test.each([
    ['names its upload', true],
    ['says nothing but its id, when its result is named after our upload', false],
  ])('is found through an event that %s', async (_what, saysUpload) => {
    const upload = await plain.stored(picture, 'image/jpeg');
    const { remoteUploadId } = await plain.run.placeRemoteUpload(upload);
    const common = { accountId: ACCOUNT, remoteUploadId, mimetype: 'image/jpeg' as const, parameters: {} };
    const job = { ...common, enhancementId: plain.newEnhancementId(), sinceMs: Date.now() };
    far.proxy.next('CreateEnhancedImage', { kind: 'drop' });
    expect(await plain.fails('beginRemoteEnhancement', job)).toMatchObject(LOST);
    expect(await plain.run.findLostEnhancement(job)).toBeNull();

    const [remoteId = ''] = await enhancementsOf(remoteUploadId);
    await finished(remoteId);
    const event = { event: 'enhanced_image.status_update', body: '{}' };
    const stranger = { ...event, id: `evt-of-${remoteId}-stranger`, remoteId: `enh_${'0'.repeat(26)}` };
    await plain.events.keep({ ...stranger, remoteUploadId: null });
    await plain.events.keep({
      ...event,
      id: `evt-of-${remoteId}`,
      remoteId,
      remoteUploadId: saysUpload ? remoteUploadId : null,
    });
    expect(await plain.run.findLostEnhancement(job)).toEqual({ remoteEnhancementId: remoteId });
    const another = { ...job, enhancementId: plain.newEnhancementId() };
    expect(await plain.run.findLostEnhancement(another)).toBeNull();
  });
});

describe('downloading a result of the hosted service', () => {
  let job: Parameters<NearActivities['run']['collectRemoteResult']>[0] & object;

  beforeAll(async () => {
    const { job: upload, remoteUploadId } = await readyUpload();
    const enhancementId = near.newEnhancementId();
    const { remoteEnhancementId } = await near.run.beginRemoteEnhancement({
      accountId: ACCOUNT,
      enhancementId,
      remoteUploadId,
      mimetype: 'image/jpeg',
      parameters: {},
    });
    await finished(remoteEnhancementId);
    const resultKey = `${ACCOUNT}/${upload.source.uploadId}/${enhancementId}`;
    job = { enhancementId, remoteEnhancementId, source: upload.source, resultKey };
  });

  test.each([
    ['is cut', { kind: 'cut' }],
    ['is a page', { kind: 'replace', status: 200, body: '<html>Sorry</html>' }],
    ['is empty', { kind: 'replace', status: 200, body: '' }],
    ['is damaged', { kind: 'replace', status: 200, body: `\u0000${'x'.repeat(30_000)}` }],
    ['is refused', { kind: 'status', status: 403 }],
    ['fails', { kind: 'status', status: 500 }],
    ['breaks', { kind: 'reset' }],
  ] as const)('that %s is repeated and leaves no partial file', async (_what, fault) => {
    far.proxy.next('DownloadFile', fault);
    expect(await near.fails('collectRemoteResult', job)).toMatchObject({
      type: 'PROVIDER_UNAVAILABLE',
      nonRetryable: false,
    });
    expect(await near.deps.store.head(job.resultKey)).toBeUndefined();
    await near.run.collectRemoteResult(job);
    await near.deps.store.delete(job.resultKey);
  });

  test('from a forbidden address is refused', async () => {
    const body = { data: { enhancedImage: { id: 'e', status: 'FINISHED', fullUrl: 'http://10.0.0.1/secret' } } };
    far.proxy.next('EnhancedImage', { kind: 'replace', status: 200, body: JSON.stringify(body) });
    expect(await near.fails('collectRemoteResult', job)).toMatchObject({
      type: 'PROVIDER_REJECTED',
      nonRetryable: true,
    });
  });

  test('that is unfinished reports that there is no result yet', async () => {
    const body = { data: { enhancedImage: { id: 'e', status: 'PROCESSING', fullUrl: null } } };
    far.proxy.next('EnhancedImage', { kind: 'replace', status: 200, body: JSON.stringify(body) });
    expect(await near.fails('collectRemoteResult', job)).toMatchObject({ type: 'PROVIDER_UNAVAILABLE' });
  });
});
