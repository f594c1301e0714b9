import { introspectionFromSchema, type IntrospectionType } from 'graphql';
import type { z } from 'zod';
import { expect, test } from '@jest/globals';
import { FAILURE_CODES } from '@burnish/contract';
import { restText } from '../../../src/api/graphql/described-schema.ts';
import { schema } from '../../../src/api/graphql-schema.ts';
import { KEYED_OPERATIONS } from '../../../src/api/operations.ts';

const types = introspectionFromSchema(schema).__schema.types.filter(({ name }) => !name.startsWith('__'));
const named = (name: string): IntrospectionType => types.find((type) => type.name === name)!;

/** Everything that has a name: types, fields, arguments, input fields and values of enums. */
function describable(): { path: string; description: string | null | undefined }[] {
  return types.flatMap((type) => [
    { path: type.name, description: type.description },
    ...('fields' in type ? (type.fields ?? []) : []).flatMap((field) => [
      { path: `${type.name}.${field.name}`, description: field.description },
      ...('args' in field ? field.args : []).map((argument) => ({
        path: `${type.name}.${field.name}(${argument.name})`,
        description: argument.description,
      })),
    ]),
    ...('inputFields' in type ? (type.inputFields ?? []) : []).map(({ name, description }) => ({
      path: `${type.name}.${name}`,
      description,
    })),
    ...('enumValues' in type ? (type.enumValues ?? []) : []).map(({ name, description }) => ({
      path: `${type.name}.${name}`,
      description,
    })),
  ]);
}

test('every type, field, argument and value has a description of at least a few words', () => {
  const all = describable();
  expect(all.length).toBeGreaterThan(250);
  const bare = all.filter(({ description }) => (description ?? '').trim().length < 4).map(({ path }) => path);
  expect(bare).toEqual([]);
});

/** Fields of types with a REST schema that describes a field of the same name. */
function describedInRest(): { path: string; graphql: string | null | undefined; rest: string }[] {
  const restSchema = (of: { extensions: object }): z.ZodObject | undefined =>
    (of.extensions as { pothosOptions?: { restSchema?: z.ZodObject } }).pothosOptions?.restSchema;
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    const shape = restSchema(type)?.shape ?? {};
    const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
    return fields.flatMap(({ name, description }) => {
      const property = shape[name];
      return property === undefined
        ? []
        : [{ path: `${type.name}.${name}`, graphql: description, rest: restText(property) }];
    });
  });
}

test('fields have the descriptions of REST', () => {
  const all = describedInRest();
  expect(all.length).toBeGreaterThan(130);
  // A field with another form than in REST, such as JSON text, may add a sentence.
  // The public service calls a mode `preset`.
  const own = all.filter(
    ({ path, graphql, rest }) => path !== 'CreateEnhancedImageInput.preset' && graphql?.startsWith(rest) !== true,
  );
  expect(own).toEqual([]);
});

test('an operation of REST that names its field has it, with its scope and with all that its path and its body name', () => {
  const shared = KEYED_OPERATIONS.flatMap(({ scope, shared }) => (shared ? [{ scope, shared }] : []));
  expect(shared.length).toBeGreaterThan(25);
  const restNames: Record<string, string> = { preset: 'presetName' };
  for (const {
    scope,
    shared: { graphql, parameters, body, isRead },
  } of shared) {
    const root = isRead ? schema.getQueryType()! : schema.getMutationType()!;
    const { args, extensions } = root.getFields()[graphql.field]!;
    const named = { ...parameters?.shape, ...(graphql.input ? { input: body } : body?.shape) };
    const names = args.map(({ name }) => name);
    expect([graphql.field, extensions['scope'], names]).toEqual([
      graphql.field,
      scope,
      expect.arrayContaining(Object.keys(named).map((name) => restNames[name] ?? name)),
    ]);
    if (!isRead) expect([graphql.field, names.length]).toEqual([graphql.field, Object.keys(named).length]);
  }
});

test('the operations are those of the contract and those beyond it', () => {
  const names = (root: string): string[] => {
    const type = named(root);
    return 'fields' in type ? type.fields.map((field) => field.name).sort() : [];
  };
  expect(names('Query')).toEqual([
    'apiKeys',
    'batch',
    'batchManifest',
    'batches',
    'credits',
    'enhancedImage',
    'enhancedImages',
    'enhancementEstimate',
    'enhancementTrial',
    'look',
    'looks',
    'preset',
    'presets',
    'tryLook',
    'upload',
    'uploads',
    'usage',
    'version',
    'webhook',
    'webhookDeliveries',
    'webhooks',
  ]);
  expect(names('Mutation')).toEqual([
    'addBatchItems',
    'addBatchPrefix',
    'analyzePdf',
    'analyzePdfWithPassword',
    'approveBatch',
    'approveEnhancement',
    'cancelBatch',
    'cancelEnhancement',
    'closeBatch',
    'completeSignedUpload',
    'createApiKey',
    'createBatch',
    'createEnhancedImage',
    'createSignedUploadUrl',
    'createUploadFromBucket',
    'createUploadFromUrl',
    'createWebhook',
    'deleteApiKey',
    'deleteLook',
    'deletePreset',
    'deleteUploads',
    'deleteWebhook',
    'pauseBatch',
    'redeliverFailed',
    'redeliverWebhook',
    'rejectEnhancement',
    'resumeBatch',
    'retryBatch',
    'rotateWebhookSecret',
    'saveLook',
    'savePreset',
    'testWebhook',
    'updateFileRetention',
    'updateWebhook',
  ]);
});

test.each([
  ['upload', 'upload(id: ID!): Upload'],
  ['enhancedImage', 'enhancedImage(id: ID!): EnhancedImage'],
  ['credits', 'credits: Credits'],
  ['createUploadFromUrl', 'createUploadFromUrl(input: CreateUploadFromUrlInput!): Upload'],
  ['createSignedUploadUrl', 'createSignedUploadUrl(input: CreateSignedUploadUrlInput!): SignedUploadUrl'],
  ['completeSignedUpload', 'completeSignedUpload(id: ID!): Upload'],
  ['updateFileRetention', 'updateFileRetention(days: Int!): Settings'],
  ['deleteUploads', 'deleteUploads(ids: [ID!]!): DeleteUploadsPayload'],
  ['analyzePdf', 'analyzePdf(uploadId: ID!): AnalyzePdfPayload'],
  ['createEnhancedImage', 'createEnhancedImage(uploadId: ID!, input: CreateEnhancedImageInput!): EnhancedImage'],
])('%s has the signature of the contract', (name, signature) => {
  const field = schema.getQueryType()!.getFields()[name] ?? schema.getMutationType()!.getFields()[name]!;
  const args = field.args.map((argument) => `${argument.name}: ${String(argument.type)}`).join(', ');
  expect(`${name}${args === '' ? '' : `(${args})`}: ${String(field.type)}`).toBe(signature);
});

test.each([
  [
    'Upload',
    'id: ID!, status: UploadStatus!, subStatus: UploadSubStatus, metadata: String, filesize: Int, mimetype: String, extension: String, originalFilename: String!, filename: String, width: Int!, height: Int!, url: String, startedAt: DateTime, finishedAt: DateTime, duration: Int',
  ],
  [
    'EnhancedImage',
    'id: ID!, status: EnhancedImageStatus!, fullUrl: String, filename: String, engineDuration: Int, errorCode: ErrorCode',
  ],
  [
    'Credits',
    'remainingCreditsThisPeriod: Int!, usedCreditsThisPeriod: Int!, periodStart: DateTime!, periodEnd: DateTime!',
  ],
  ['SignedUploadUrl', 'uploadId: ID!, uploadUrl: String!'],
  ['Settings', 'uploadRetentionDays: Int!'],
  ['DeleteUploadsPayload', 'deletedUploadIds: [ID!]!'],
  ['AnalyzePdfPayload', 'success: Boolean!'],
  ['CreateUploadFromUrlInput', 'url: String!'],
  ['CreateSignedUploadUrlInput', 'filename: String!, filesize: Int!, mimetype: String!'],
  [
    'CreateEnhancedImageInput',
    'mode: EnhancedImageEnhancementMode, upscalingFactor: EnhancedImageUpscalingFactor, noiseReductionProfilingMode: EnhancedImageParametersNoiseReductionProfilingMode, noiseReductionProfilingStrength: Decimal, artifactsDetectionRemoval: EnhancedImageParametersArtifactsDetectionRemoval, enhanceFaceDetails: EnhancedImageParametersEnhanceFaceDetails, sharpening: Decimal, outputFormat: EnhancedImageOutputFormat, outputQuality: Int, keepMetadata: Boolean, targetResolution: Decimal, upscalingThreshold: Decimal, customColorConfig: CustomColorConfigInput',
  ],
  [
    'CustomColorConfigInput',
    'auto: Boolean, brightness: Decimal, contrast: Decimal, saturation: Decimal, gamma: Decimal, temperature: Decimal',
  ],
])('%s has the fields of the contract', (name, expected) => {
  const type = schema.getType(name)!;
  const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
  const shown = fields.map((field) => `${field.name}: ${String(field.type)}`);
  expect(shown).toEqual(expect.arrayContaining(expected.split(', ')));
});

test.each([
  ['UploadStatus', 'UPLOAD_PENDING UPLOAD_PROCESSING UPLOAD_FINISHED UPLOAD_FAILED UPLOAD_DELETED'],
  ['UploadSubStatus', 'METADATA_ANALYZING METADATA_ANALYZED_SUCCESSFULLY METADATA_ANALYZED_FAILED'],
  ['EnhancedImageStatus', 'QUEUED AWAITING_APPROVAL AWAITING_CREDITS PROCESSING FINISHED ERROR CANCELLED'],
  // DOCUMENT goes beyond the contract.
  ['EnhancedImageEnhancementMode', 'ENHANCE NATURAL VIVID DOCUMENT OFF'],
  ['EnhancedImageUpscalingFactor', 'X1 X2 X4'],
  ['EnhancedImageParametersNoiseReductionProfilingMode', 'OFF AUTO'],
  ['EnhancedImageParametersArtifactsDetectionRemoval', 'OFF AUTO_AI'],
  ['EnhancedImageParametersEnhanceFaceDetails', 'OFF ENHANCE'],
  // WEBP and AVIF go beyond the contract.
  ['EnhancedImageOutputFormat', 'AUTO JPEG PNG TIFF AVIF WEBP'],
  ['ErrorCode', FAILURE_CODES.join(' ')],
])('%s has the values of the contract', (name, values) => {
  const type = named(name);
  expect('enumValues' in type && type.enumValues.map((value) => value.name)).toEqual(values.split(' '));
});
