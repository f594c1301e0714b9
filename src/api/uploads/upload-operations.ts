import { z } from 'zod';
import { mapPage } from '../../database/page.ts';
import { requireRecord } from '../commands/checks.ts';
import { isSettled } from '../changes/settled.ts';
import { getUploadIdempotencyKey } from '../http/request-context.ts';
import { accepted, acceptedOrFinished, ok, page } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { preferHeader } from '../changes/preferred-wait.ts';
import { pageRequest, withoutUndefined } from '../schemas/paging.ts';
import { readUpload, PASSWORD_HEADER } from './receive/read-upload.ts';
import { analyzeAgainBody, createUploadBody, uploadOrderTexts } from './upload-order-schemas.ts';
import {
  deleteUploadsBody,
  listUploadsQuery,
  representUpload,
  representUploadWithEnhancements,
  uploadSchema,
  uploadWithEnhancementsSchema,
} from './upload-schemas.ts';
import type { UploadNeeds } from './upload-commands.ts';

const tag = 'Uploads';
const parameters = idPath('upl');
const bytes = { schema: { type: 'string', format: 'binary' } } as const;

/** `/v1/uploads`: the lifecycle of an upload from its first byte to its deletion. */
export const uploadOperations = [
  operation({
    operationId: 'createUpload',
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads',
    tag,
    summary: 'Upload a file, optionally with enhancements',
    description: [
      'Send JSON with the URL of the file, or a form with the file in the field `file`. Or send the file itself as the body, with other fields in the query.',
      'Images have 20 KB to 50 MB, and PDFs have 20 KB to 1,000 MB, with decimal units. The type is detected from the content. The body may have the media type of the file, none, or the one that curl sends by default.',
      `The password of an encrypted PDF is a field of the JSON or of the form. With the file itself as the body, send it in the header \`${PASSWORD_HEADER}\`, percent-encoded. It is never accepted in a URL.`,
      '`maxCredits` and `creditWait` apply to enhancements that do not set them.',
    ].join('\n\n'),
    query: uploadOrderTexts.meta({ description: 'Numbers are texts, and `enhancements` is JSON text.' }),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: createUploadBody,
          example: {
            source: { url: 'https://example.com/photo.jpg' },
            enhancements: [{ mode: 'ENHANCE', upscalingFactor: 'X2' }],
          },
        },
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['file'],
            additionalProperties: false,
            properties: {
              file: { type: 'string', format: 'binary' },
              filename: { type: 'string', maxLength: 255 },
              enhancements: {
                type: 'string',
                description: 'Enhancements as JSON text',
                example: '[{"upscalingFactor":"X2"}]',
              },
              password: {
                type: 'string',
                format: 'password',
                maxLength: 127,
                description: 'Password of an encrypted PDF',
              },
              webhookUrl: { type: 'string', format: 'uri' },
              maxCredits: { type: 'string', description: 'Credits', example: '10' },
              creditWait: { type: 'string', description: 'Seconds', example: '3600' },
              priority: { type: 'string', enum: ['STANDARD', 'BATCH'] },
              reference: { type: 'string', maxLength: 200, example: 'order-4711' },
              customMetadata: { type: 'string', description: 'Object as JSON text', example: '{"customer":"c-17"}' },
            },
          },
        },
        'application/octet-stream': bytes,
      },
    },
    createsUpload: true,
    headers: preferHeader.extend({
      [PASSWORD_HEADER]: z
        .string()
        .optional()
        .meta({ description: 'Password of the PDF in the body, percent-encoded.' }),
    }),
    answer: acceptedOrFinished(
      'The upload was accepted, and its record can be read.',
      'With `Prefer: wait`: all work of the upload has ended.',
      uploadWithEnhancementsSchema,
    ),
    failures: [
      'FILE_TOO_SMALL',
      'FILE_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'UPLOAD_MISMATCH',
      'URL_NOT_ALLOWED',
      'STORAGE_LIMIT',
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
    ],
    async handle({ req, res }, deps: UploadNeeds) {
      const wait = deps.preferredWait(req, res);
      const made = await readUpload(deps, wait.caller, req, getUploadIdempotencyKey(req, res));
      const { id, accountId } = made.upload;
      const read = (): ReturnType<typeof deps.uploads.getWithEnhancements> =>
        deps.uploads.getWithEnhancements(accountId, id);
      const settled = await wait.finished(id, read, ({ upload, enhancements }) => isSettled(upload, enhancements));
      const body = representUploadWithEnhancements(settled ?? made, deps.urls);
      return { location: `/v1/uploads/${id}`, body, finished: settled !== undefined };
    },
  }),

  operation({
    operationId: 'listUploads',
    graphql: { field: 'uploads', without: ['search', 'include'], record: uploadSchema },
    scope: 'read',
    method: 'get',
    path: '/v1/uploads',
    tag,
    summary: 'List uploads, newest first',
    description: 'Includes the tombstones of deleted uploads.',
    query: listUploadsQuery,
    answer: page(z.union([uploadSchema, uploadWithEnhancementsSchema])),
    async handle({ caller, query: { include, limit, after, ...filter } }, deps: UploadNeeds) {
      const { id: accountId } = caller.account;
      const request = { ...pageRequest({ limit, after }), ...withoutUndefined(filter) };
      const uploads = await deps.uploads.list(accountId, request);
      if (include === undefined) return mapPage(uploads, (each) => representUpload(each, deps.urls));
      const enhancements = await deps.enhancements.listForUploads(
        accountId,
        uploads.items.map(({ id }) => id),
      );
      return mapPage(uploads, (upload) =>
        representUploadWithEnhancements({ upload, enhancements: enhancements.get(upload.id)! }, deps.urls),
      );
    },
  }),

  operation({
    operationId: 'deleteUploads',
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads/delete',
    tag,
    summary: 'Delete several uploads',
    description: 'Each upload is deleted like a single one. The response omits unknown ids.',
    body: deleteUploadsBody,
    answer: ok('Ids of the deleted uploads.', z.object({ deletedUploadIds: z.array(z.string()) })),
    handle: async ({ caller, body: { ids }, idempotencyKey }, { commands }: UploadNeeds) => ({
      deletedUploadIds: await commands.deleteUploads(caller, ids, idempotencyKey),
    }),
  }),

  operation({
    operationId: 'getUpload',
    scope: 'read',
    method: 'get',
    path: '/v1/uploads/{id}',
    tag,
    summary: 'Read an upload and its enhancements',
    description:
      'Its signed URLs stay the same for an hour, and are valid for 23 to 24 hours. Read the upload again for new URLs.',
    parameters,
    answer: ok('The upload in its current state.', uploadWithEnhancementsSchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id } }, { uploads, urls }: UploadNeeds) =>
      representUploadWithEnhancements(requireRecord(await uploads.getWithEnhancements(caller.account.id, id)), urls),
  }),

  operation({
    operationId: 'deleteUpload',
    scope: 'uploads',
    method: 'delete',
    path: '/v1/uploads/{id}',
    tag,
    summary: 'Delete an upload, its results and its running work',
    description:
      'Burnish cancels running enhancements and releases their credits. The record remains without files, as a tombstone.',
    parameters,
    answer: accepted('The tombstone.', uploadSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, idempotencyKey }, { commands, urls }: UploadNeeds) {
      const upload = await commands.deleteUpload(caller, id, idempotencyKey);
      return { location: `/v1/uploads/${upload.id}`, body: representUpload(upload, urls) };
    },
  }),

  operation({
    operationId: 'analyzeUpload',
    scope: 'uploads',
    method: 'post',
    path: '/v1/uploads/{id}/analyze',
    tag,
    summary: 'Repeat the failed analysis of a PDF',
    description:
      'Has no effect during an analysis or after a successful one. After ENCRYPTED_PDF or WRONG_PASSWORD, send the password.',
    parameters,
    body: analyzeAgainBody,
    answer: accepted('The analysis runs or was not needed.', uploadSchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, body, idempotencyKey }, { commands, urls }: UploadNeeds) {
      const upload = await commands.analyzeAgain(caller, id, idempotencyKey, body?.password);
      return { location: `/v1/uploads/${upload.id}`, body: representUpload(upload, urls) };
    },
  }),
];
