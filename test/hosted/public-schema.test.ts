import { buildSchema, graphql, NoSchemaIntrospectionCustomRule, parse, validate } from 'graphql';
import { describe, expect, test } from '@jest/globals';
import { createCircuit } from '../../src/hosted/circuit.ts';
import { createCall, type Sent } from '../../src/hosted/client.ts';
import { createHostedApi } from '../../src/hosted/service.ts';

/** The schema in the public documentation of the managed service, and nothing else. */
const DOCUMENTED = buildSchema(`
  scalar Decimal
  enum EnhancedImageEnhancementMode { ENHANCE }
  enum EnhancedImageUpscalingFactor { X2 }
  enum EnhancedImageParametersNoiseReductionProfilingMode { AUTO }
  type Upload {
    id: ID! status: String! subStatus: String metadata: String filesize: Int mimetype: String extension: String
    originalFilename: String filename: String width: Int height: Int url: String startedAt: String finishedAt: String
    duration: Int
  }
  type EnhancedImage { id: ID! status: String! fullUrl: String filename: String viesusDuration: Int }
  type Credits {
    remainingCreditsThisPeriod: Int usedCreditsThisPeriod: Int periodStart: String periodEnd: String
  }
  type SignedUploadUrl { uploadId: ID! uploadUrl: String! }
  type Settings { uploadRetentionDays: Int! }
  type DeletedUploads { deletedUploadIds: [ID!]! }
  type Success { success: Boolean! }
  input CreateUploadFromUrlInput { url: String! }
  input CreateSignedUploadUrlInput { filename: String! filesize: Int! mimetype: String! }
  input CreateEnhancedImageInput {
    mode: EnhancedImageEnhancementMode upscalingFactor: EnhancedImageUpscalingFactor
    noiseReductionProfilingMode: EnhancedImageParametersNoiseReductionProfilingMode
    noiseReductionProfilingStrength: Decimal targetResolution: Decimal upscalingThreshold: Decimal
  }
  type Query { upload(id: ID!): Upload enhancedImage(id: ID!): EnhancedImage credits: Credits }
  type Mutation {
    createUploadFromUrl(input: CreateUploadFromUrlInput!): Upload
    createSignedUploadUrl(input: CreateSignedUploadUrlInput!): SignedUploadUrl
    completeSignedUpload(id: ID!): Upload
    updateFileRetention(days: Int!): Settings
    deleteUploads(ids: [ID!]!): DeletedUploads
    analyzePdf(uploadId: ID!): Success
    createEnhancedImage(uploadId: ID!, input: CreateEnhancedImageInput!): EnhancedImage
  }
`);

const UPLOAD = { id: 'u1', status: 'UPLOAD_FINISHED', filesize: 30_000, mimetype: 'image/jpeg' };
const ENHANCEMENT = {
  id: 'e1',
  status: 'FINISHED',
  fullUrl: 'https://files.example.com/e1',
  filename: 'photo.jpg',
  viesusDuration: 1234,
};
const ROOT = {
  upload: UPLOAD,
  enhancedImage: ENHANCEMENT,
  credits: { remainingCreditsThisPeriod: 7 },
  createUploadFromUrl: UPLOAD,
  createSignedUploadUrl: { uploadId: 'u1', uploadUrl: 'https://files.example.com/u1' },
  completeSignedUpload: UPLOAD,
  updateFileRetention: { uploadRetentionDays: 3 },
  deleteUploads: { deletedUploadIds: ['u1'] },
  analyzePdf: { success: true },
  createEnhancedImage: ENHANCEMENT,
};

/** Client of a server with exactly the documented schema. @param describesItself whether the server answers introspection */
function clientOf(describesItself: boolean) {
  let calls = 0;
  const call = createCall({
    baseUrl: 'https://service.example.com',
    apiKey: 'a-key-of-the-service',
    circuit: createCircuit({ threshold: 1_000 }),
    async send(_url, { body }): Promise<Sent> {
      calls += 1;
      const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
      const hidden = describesItself ? [] : validate(DOCUMENTED, parse(query), [NoSchemaIntrospectionCustomRule]);
      const answer =
        hidden.length > 0
          ? { errors: hidden }
          : await graphql({ schema: DOCUMENTED, source: query, variableValues: variables, rootValue: ROOT });
      return { kind: 'answered', status: 200, answer: JSON.stringify(answer), retryAfterMs: null };
    },
  });
  return { service: createHostedApi(call), calls: () => calls };
}

describe.each([
  ['that describes itself', true],
  ['that does not describe itself', false],
])('a service with exactly the documented schema %s', (_which, describesItself) => {
  test('supports every operation of the hosted client', async () => {
    const { service } = clientOf(describesItself);
    const keyed = { idempotencyKey: 'k1' };
    expect(await service.createUploadFromUrl('https://example.com/a.jpg', keyed)).toMatchObject({ id: 'u1' });
    const announced = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' };
    expect(await service.createSignedUploadUrl(announced, keyed)).toMatchObject({ uploadId: 'u1' });
    expect(await service.completeSignedUpload('u1')).toMatchObject({ id: 'u1' });
    expect(await service.upload('u1')).toMatchObject({ status: 'UPLOAD_FINISHED', filesize: 30_000 });
    const input = { mode: 'ENHANCE', upscalingFactor: 'X2', engineTier: 'FAST' } as const;
    expect(await service.createEnhancedImage('u1', input, keyed)).toEqual({ id: 'e1', status: 'FINISHED' });
    expect(await service.enhancedImage('e1', true)).toMatchObject({
      status: 'FINISHED',
      fullUrl: 'https://files.example.com/e1',
      engineDuration: 1234,
    });
    expect(await service.credits()).toEqual({ remainingCreditsThisPeriod: 7 });
    expect(await service.analyzePdf('u1')).toEqual({ success: true });
    expect(await service.listEnhancements('u1')).toBeNull();
    await service.updateFileRetention(3);
    await service.deleteUpload('u1');
  });

  test('is asked for a missing field at most once', async () => {
    const { service, calls } = clientOf(describesItself);
    await service.enhancedImage('e1');
    const first = calls();
    await service.enhancedImage('e1');
    expect(calls() - first).toBe(1);
  });
});
