import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Upload } from '@burnish/contract';
import { type EnhancementRequest, initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { testGateway, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { graphql, refusal } from './support.ts';
import { useForFile } from '../../support/use-for.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.updates.length = 0;
});

const BY_URL = `mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id status originalFilename url width duration } }`;
const ENHANCE = `mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) {
  id status fullUrl errorCode maxCredits creditWait parameters { mode upscalingFactor sharpening targetResolution customColorConfig { auto gamma } } } }`;
const accept = (upload: Upload): void => {
  gateway.temporal.onUpdate = ({ args }) =>
    (args[0] as EnhancementRequest[]).map((each) => initialEnhancement(each, upload, new Date().toISOString()));
};

test.each([
  ['Float', 300.5],
  ['Float!', 300],
  ['Decimal', 300.5],
])('a variable of type %s is accepted for a Decimal', async (type, dpi) => {
  const upload = await storedUpload(gateway, {
    file: { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' },
    subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
  });
  accept(upload);
  const document = `mutation ($id: ID!, $dpi: ${type}) { createEnhancedImage(uploadId: $id, input: { targetResolution: $dpi }) { parameters { targetResolution } } }`;
  const { data, errors } = await graphql(gateway, document, { variables: { id: upload.id, dpi } });
  expect(errors).toBeUndefined();
  expect(data.createEnhancedImage.parameters.targetResolution).toBe(dpi);
  const refused = await graphql(gateway, document, { variables: { id: upload.id, dpi: 'many' } });
  expect(refused.errors).toHaveLength(1);
});

describe('createUploadFromUrl', () => {
  test('starts one workflow with the requested parameters and creates its record', async () => {
    const input = {
      url: 'http://8.8.8.8/a/photo%201.jpg',
      webhookUrl: 'https://8.8.8.8/hook',
      enhancements: [
        { mode: 'VIVID', maxCredits: 3 },
        { upscalingFactor: 'X2', creditWait: 0, sharpening: null },
      ],
      creditWait: 60,
    };
    const { data, errors } = await graphql(gateway, BY_URL, { variables: { input } });
    expect(errors).toBeUndefined();
    const made = data.createUploadFromUrl;
    expect(made).toMatchObject({
      status: 'UPLOAD_PROCESSING',
      originalFilename: 'photo 1.jpg',
      url: null,
      width: 0,
      duration: null,
    });
    expect(gateway.temporal.starts.map(({ options }) => options.workflowId)).toEqual([`upload/${made.id}`]);
    const [order] = gateway.temporal.starts[0]!.options.args;
    expect(order).toMatchObject({
      source: { kind: 'url', url: input.url },
      initial: { webhookUrl: input.webhookUrl },
      enhancements: [
        { parameters: { mode: 'VIVID' }, maxCredits: 3, creditWaitMs: 60_000 },
        { parameters: { upscalingFactor: 'X2' }, maxCredits: null, creditWaitMs: 0 },
      ],
    });
    expect(order.enhancements[1]!.parameters).toEqual({ upscalingFactor: 'X2' });
    const read = await graphql(gateway, `{ upload(id: "${made.id}") { id enhancedImages { id status } } }`);
    // They were ordered in the same millisecond, so their order says nothing.
    const queued = order.enhancements.map(({ id }) => ({ id, status: 'QUEUED' }));
    expect(read.data.upload.enhancedImages).toHaveLength(2);
    expect(read.data.upload.enhancedImages).toEqual(expect.arrayContaining(queued));
  });
});

describe('createSignedUploadUrl', () => {
  test.each([
    ['image/jpeg', 20_000],
    ['image/heic', 50_000_000],
    ['application/pdf', 20_000],
    ['application/pdf', 1_000_000_000],
  ])('accepts a file of the minimum or maximum size: %s of %d bytes', async (mimetype, filesize) => {
    const input = { filename: 'a', filesize, mimetype };
    const { data, errors } = await graphql(
      gateway,
      'mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId uploadUrl expiresAt } }',
      { variables: { input } },
    );
    expect(errors).toBeUndefined();
    const { uploadId, uploadUrl, expiresAt } = data.createSignedUploadUrl;
    expect(uploadUrl).toContain(`/uploads/${uploadId}?`);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(3_500_000);
    const { data: read } = await graphql(gateway, `{ upload(id: "${uploadId}") { status filesize startedAt } }`);
    expect(read.upload).toEqual({ status: 'UPLOAD_PENDING', filesize: null, startedAt: null });
  });
});

describe('createEnhancedImage', () => {
  test('sends the parameters to the workflow of the upload, from literals and from variables', async () => {
    const upload = await storedUpload(gateway);
    accept(upload);
    const literal = await graphql(
      gateway,
      `mutation { createEnhancedImage(uploadId: "${upload.id}", input: { mode: ENHANCE, upscalingFactor: X2, sharpening: 1 }) { id status } }`,
    );
    expect(literal.data.createEnhancedImage.status).toBe('QUEUED');
    const input = { mode: 'NATURAL', sharpening: 0.25, maxCredits: 0, creditWait: 5 };
    const { data } = await graphql(gateway, ENHANCE, { variables: { id: upload.id, input } });
    expect(data.createEnhancedImage).toMatchObject({
      status: 'QUEUED',
      fullUrl: null,
      errorCode: null,
      maxCredits: 0,
      creditWait: 5,
      parameters: { mode: 'NATURAL', upscalingFactor: null, sharpening: 0.25, customColorConfig: null },
    });
    expect(
      gateway.temporal.updates.map(({ name, args }) => [name, (args[0] as [EnhancementRequest])[0].parameters]),
    ).toEqual([
      ['requestEnhancements', { mode: 'ENHANCE', upscalingFactor: 'X2', sharpening: 1 }],
      ['requestEnhancements', { mode: 'NATURAL', sharpening: 0.25 }],
    ]);
    const { data: read } = await graphql(
      gateway,
      `{ enhancedImage(id: "${data.createEnhancedImage.id}") { uploadId upload { id originalFilename } } }`,
    );
    expect(read.enhancedImage).toEqual({
      uploadId: upload.id,
      upload: { id: upload.id, originalFilename: 'photo.jpg' },
    });
  });

  test('refuses a PDF that is not analyzed and names its state', async () => {
    const upload = await storedUpload(gateway, { subStatus: 'METADATA_ANALYZING' });
    gateway.temporal.onUpdate = () => {
      const message = 'The PDF has not been analyzed; its subStatus is METADATA_ANALYZING.';
      const cause = ApplicationFailure.create({ type: 'PDF_NOT_ANALYZED', message, nonRetryable: true });
      throw new WorkflowUpdateFailedError('Workflow Update failed', cause);
    };
    const answer = await graphql(gateway, ENHANCE, { variables: { id: upload.id, input: {} } });
    expect([refusal(answer), answer.errors![0]!.message, answer.errors![0]!.extensions.retryable]).toEqual([
      ['PDF_NOT_ANALYZED', undefined],
      'The PDF has not been analyzed; its subStatus is METADATA_ANALYZING.',
      true,
    ]);
  });

  test('returns a time to retry while no worker runs', async () => {
    const upload = await storedUpload(gateway);
    gateway.temporal.onUpdate = () => {
      throw Object.assign(new Error('4 DEADLINE_EXCEEDED'), { code: 4, details: 'x', metadata: {} });
    };
    const { errors } = await graphql(gateway, ENHANCE, { variables: { id: upload.id, input: {} } });
    expect(errors![0]!.extensions).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5, retryable: true });
  });
});

describe('records', () => {
  test('have the same fields as in REST', async () => {
    const analysis = {
      totalCredits: 9,
      statistics: {
        pages: 2,
        images: 3,
        colorEligible: 3,
        resizeEligible: 1,
        credits: { color: 3, resize: 4, colorAndResize: 6 },
      },
    };
    const upload = await storedUpload(gateway, {
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      analysis,
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:01.500Z',
      width: 320,
      height: 240,
    });
    const fields =
      'id status subStatus filesize mimetype extension originalFilename filename width height startedAt finishedAt duration errorCode retentionDays createdAt';
    const { data } = await graphql(gateway, `{ upload(id: "${upload.id}") { ${fields} metadata url } }`);
    const { metadata, url, ...rest } = data.upload;
    const { enhancements: _, ...body } = await (await gateway.fetch(`/v1/uploads/${upload.id}`)).json();
    expect(body).toMatchObject(rest);
    expect(rest).toMatchObject({
      filesize: 30_000,
      duration: 1500,
      width: 320,
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
    });
    expect(JSON.parse(metadata)).toEqual(analysis);
    expect(url).toMatch(/^http:\/\/burnish\.test\/files\//);
  });

  test.each([
    ['AWAITING_CREDITS', null, 'credits'],
    ['AWAITING_APPROVAL', null, 'approval'],
    ['QUEUED', 'storage', 'storage'],
    ['PROCESSING', null, null],
  ] as const)('of an enhancement that is %s and waits for %s show %s', async (status, waitingFor, said) => {
    const upload = await storedUpload(gateway, { waitingFor });
    const { id } = await storedEnhancement(gateway, upload, { status, waitingFor });
    const { data } = await graphql(
      gateway,
      `{ upload(id: "${upload.id}") { waitingFor } enhancedImage(id: "${id}") { waitingFor } }`,
    );
    expect(data).toEqual({ upload: { waitingFor }, enhancedImage: { waitingFor: said } });
    const { enhancements, ...body } = await (await gateway.fetch(`/v1/uploads/${upload.id}`)).json();
    expect([body.waitingFor, enhancements[0].waitingFor]).toEqual([waitingFor, said]);
  });

  test('of a finished enhancement contain a signed URL, whole milliseconds and the report of the engine', async () => {
    const upload = await storedUpload(gateway);
    const result = {
      objectKey: `${upload.accountId}/${upload.id}/enh_1`,
      size: 5,
      originalSize: 5,
      sha256: 'x',
      mimetype: 'image/jpeg' as const,
      filename: 'photo.jpg',
      width: 2,
      height: 2,
    };
    const engine = { version: '12.1', steps: ['tone'], models: [], notes: ['A note.'], durationMs: 12.6 };
    const enhancement = await storedEnhancement(gateway, upload, {
      status: 'FINISHED',
      result,
      engine,
      chargedCredits: 1,
    });
    const { data } = await graphql(
      gateway,
      `{ enhancedImage(id: "${enhancement.id}") { status fullUrl filename engineDuration errorCode chargedCredits engine { version steps notes } } }`,
    );
    const list = await graphql(gateway, `{ upload(id: "${upload.id}") { enhancedImages { id filename filesize } } }`);
    expect(list.data.upload.enhancedImages).toEqual([{ id: enhancement.id, filename: 'photo.jpg', filesize: 5 }]);
    expect(data.enhancedImage).toEqual({
      status: 'FINISHED',
      fullUrl: expect.stringContaining(`/files/${enhancement.id}/photo.jpg?`),
      filename: 'photo.jpg',
      engineDuration: 13,
      errorCode: null,
      chargedCredits: 1,
      engine: { version: '12.1', steps: ['tone'], notes: ['A note.'] },
    });
  });
});

describe('lists', () => {
  const own = useForFile(() => testGateway());

  test('are paged, and each cursor continues after its item', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      ids.unshift((await storedUpload(own, { createdAt: `2026-01-0${i + 1}T00:00:00.000Z` })).id);
    }
    const page = async (args: string) => {
      const query = `{ uploads${args} { edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
      return (await graphql(own, query)).data.uploads;
    };
    const first = await page('(first: 2)');
    expect(first.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids.slice(0, 2));
    expect(first.pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: first.edges[0].cursor,
      endCursor: first.edges[1].cursor,
    });
    const middle = await page(`(first: 2, after: "${first.edges[0].cursor}")`);
    expect(middle.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3));
    const last = await page(`(first: 3, after: "${first.pageInfo.endCursor}")`);
    expect([last.nodes.length, last.pageInfo.hasNextPage]).toEqual([3, false]);
    const none = await page('(status: UPLOAD_FAILED)');
    expect(none).toEqual({
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test('need as many database queries for many items as for one', async () => {
    for (let i = 0; i < 4; i += 1) {
      const upload = await storedUpload(own);
      await storedEnhancement(own, upload);
      await storedEnhancement(own, upload);
    }
    const lists = jest.spyOn(own.records.enhancements, 'listForUploads');
    const { data } = await graphql(own, '{ uploads(first: 4) { nodes { id enhancedImages { id uploadId } } } }');
    expect(
      data.uploads.nodes.map(({ enhancedImages }: { enhancedImages: unknown[] }) => enhancedImages.length),
    ).toEqual([2, 2, 2, 2]);
    for (const { id, enhancedImages } of data.uploads.nodes) {
      expect(enhancedImages.map(({ uploadId }: { uploadId: string }) => uploadId)).toEqual([id, id]);
    }
    expect(lists).toHaveBeenCalledTimes(1);
    const many = jest.spyOn(own.records.uploads, 'getMany');
    const back = await graphql(own, '{ enhancedImages(first: 8) { nodes { uploadId upload { id } } } }');
    expect(back.data.enhancedImages.nodes).toHaveLength(8);
    expect(many).toHaveBeenCalledTimes(1);
  });

  test('show nothing of another account', async () => {
    const answer = await graphql(
      gateway,
      '{ uploads { nodes { id } } enhancedImages { nodes { id } } apiKeys { name } webhooks { id } webhookDeliveries { nodes { id } } }',
      {
        key: gateway.foreignKey,
      },
    );
    expect(answer.data).toEqual({
      uploads: { nodes: [] },
      enhancedImages: { nodes: [] },
      apiKeys: [{ name: 'Foreign key' }],
      webhooks: [],
      webhookDeliveries: { nodes: [] },
    });
  });
});

describe('mutations and queries of the account', () => {
  test('create a valid key, show it once and delete it at once', async () => {
    const { data } = await graphql(
      gateway,
      'mutation { createApiKey(name: "Staging") { key apiKey { id name prefix lastUsedAt } } }',
    );
    const { key, apiKey } = data.createApiKey;
    expect(apiKey).toMatchObject({ name: 'Staging', prefix: key.slice(0, 8), lastUsedAt: null });
    expect((await graphql(gateway, '{ credits { periodEnd } }', { key })).errors).toBeUndefined();
    const listed = await graphql(gateway, '{ apiKeys { id name lastUsedAt } }');
    expect(listed.data.apiKeys).toContainEqual({ id: apiKey.id, name: 'Staging', lastUsedAt: expect.any(String) });
    expect(JSON.stringify(listed.data)).not.toContain(key);
    const removed = await graphql(gateway, `mutation { deleteApiKey(id: "${apiKey.id}") { deletedId } }`);
    expect(removed.data.deleteApiKey.deletedId).toBe(apiKey.id);
    expect(refusal(await graphql(gateway, '{ credits { periodEnd } }', { key }))?.[0]).toBe('UNAUTHENTICATED');
  });

  test('change the retention of new uploads', async () => {
    const { data } = await graphql(gateway, 'mutation { updateFileRetention(days: 7) { uploadRetentionDays } }');
    expect(data.updateFileRetention).toEqual({ uploadRetentionDays: 7 });
    await graphql(gateway, BY_URL, { variables: { input: { url: 'http://8.8.8.8/x.jpg' } } });
    expect(gateway.temporal.starts[0]!.options.args[0].initial.retentionDays).toBe(7);
  });

  test('register, rotate and remove webhook endpoints', async () => {
    const { data, errors } = await graphql(
      gateway,
      'mutation { createWebhook(url: "https://8.8.8.8/hook", events: ["upload.deleted"]) { secret webhook { id url events disabledAt } } }',
    );
    expect(errors).toBeUndefined();
    const { secret, webhook } = data.createWebhook;
    expect(webhook).toMatchObject({ url: 'https://8.8.8.8/hook', events: ['upload.deleted'], disabledAt: null });
    const rotated = await graphql(
      gateway,
      `mutation { rotateWebhookSecret(id: "${webhook.id}") { secret webhook { id } } }`,
    );
    expect(rotated.data.rotateWebhookSecret.secret).toMatch(/^whsec_/);
    expect(rotated.data.rotateWebhookSecret.secret).not.toBe(secret);
    expect((await graphql(gateway, '{ webhooks { id } }')).data.webhooks).toEqual([{ id: webhook.id }]);
    const removed = await graphql(gateway, `mutation { deleteWebhook(id: "${webhook.id}") { deletedId } }`);
    expect(removed.data.deleteWebhook.deletedId).toBe(webhook.id);
    expect((await graphql(gateway, '{ webhooks { id } }')).data.webhooks).toEqual([]);
  });

  test('return the version', async () => {
    const { data } = await graphql(gateway, '{ version { version engineVersion } }');
    expect(data.version).toEqual({ version: '0.0.0-test', engineVersion: '12.test' });
  });
});
