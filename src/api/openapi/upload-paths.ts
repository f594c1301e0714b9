import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { enhancementSchema, uploadSchema, uploadWithEnhancementsSchema } from '../uploads/upload-schemas.ts';
import { listUploadsQuery } from '../schemas/paging.ts';
import {
  createUploadBody,
  deleteUploadsBody,
  enhancementOrderSchema,
  eventsQuery,
  uploadOrderTexts,
} from '../uploads/upload-requests.ts';
import {
  acceptedAnswer,
  answer,
  finishedAnswer,
  idempotencyHeader,
  preferHeader,
  problems,
  waitedAnswer,
} from './responses.ts';

const path = z.object({
  id: z.string().meta({ description: 'Id of the upload', example: 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const listing = z.object({
  items: z.array(z.union([uploadSchema, uploadWithEnhancementsSchema])),
  next: z.string().nullable().meta({ description: 'Hand it back as `after`; null on the last page.' }),
});
const bytes = { schema: { type: 'string', format: 'binary' } } as const;
/** The fields that come with a file, as a form or a query has them. */
const texts = uploadOrderTexts.meta({ description: 'Numbers as texts; `enhancements` as JSON text.' });

export const uploadPaths: ZodOpenApiPathsObject = {
  '/v1/uploads': {
    post: {
      operationId: 'createUpload',
      tags: ['Uploads'],
      summary: 'Upload a file, and order enhancements of it',
      description: [
        'Three ways: JSON with the address of the file; a form with the file in the field `file`; or the file itself as the body, with the other fields in the query.',
        'Files have 20 KB to 50 MB (images) or 1,000 MB (PDFs), where KB and MB are 1,000 and 1,000,000 bytes. Their type is found by content.',
        '`maxCredits` and `creditWait` hold for each enhancement that brings none of its own.',
      ].join('\n\n'),
      requestParams: { header: idempotencyHeader.extend(preferHeader.shape), query: texts },
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
                  description: 'JSON text: a list of enhancements',
                  example: '[{"upscalingFactor":"X2"}]',
                },
                webhookUrl: { type: 'string', format: 'uri' },
                maxCredits: { type: 'string', description: 'Credits', example: '10' },
                creditWait: { type: 'string', description: 'Seconds', example: '3600' },
                priority: { type: 'string', enum: ['STANDARD', 'BATCH'] },
              },
            },
          },
          'application/octet-stream': bytes,
          'image/*': bytes,
          'application/pdf': bytes,
        },
      },
      responses: {
        '200': finishedAnswer(
          'With `Prefer: wait`: nothing of the upload runs or waits any more.',
          uploadWithEnhancementsSchema,
        ),
        '202': waitedAnswer(
          acceptedAnswer('The upload has begun; its record can be read.', uploadWithEnhancementsSchema),
        ),
        ...problems(
          'FILE_TOO_SMALL',
          'FILE_TOO_LARGE',
          'UNSUPPORTED_MEDIA_TYPE',
          'UPLOAD_MISMATCH',
          'URL_NOT_ALLOWED',
          'TARGET_RESOLUTION_EXCEEDS_PLAN',
        ),
      },
    },
    get: {
      operationId: 'listUploads',
      tags: ['Uploads'],
      summary: 'List uploads, newest first',
      requestParams: { query: listUploadsQuery },
      responses: { '200': answer('A page. The header `Link` names the next one.', listing), ...problems() },
    },
  },
  '/v1/uploads/delete': {
    post: {
      operationId: 'deleteUploads',
      tags: ['Uploads'],
      summary: 'Delete several uploads',
      description: 'As the deletion of one. Ids that are unknown are left out of the answer.',
      requestParams: { header: idempotencyHeader },
      requestBody: { required: true, content: { 'application/json': { schema: deleteUploadsBody } } },
      responses: {
        '200': answer('The ids of those that are deleted.', z.object({ deletedUploadIds: z.array(z.string()) })),
        ...problems(),
      },
    },
  },
  '/v1/uploads/{id}': {
    get: {
      operationId: 'getUpload',
      tags: ['Uploads'],
      summary: 'Read an upload and its enhancements',
      requestParams: { path },
      responses: { '200': answer('The upload as it stands.', uploadWithEnhancementsSchema), ...problems('NOT_FOUND') },
    },
    delete: {
      operationId: 'deleteUpload',
      tags: ['Uploads'],
      summary: 'Delete an upload, its results and what runs of it',
      description:
        'Running enhancements are cancelled and their credits released. A tombstone stays, without any file.',
      requestParams: { path, header: idempotencyHeader },
      responses: { '202': acceptedAnswer('The tombstone.', uploadSchema), ...problems('NOT_FOUND') },
    },
  },
  '/v1/uploads/{id}/enhancements': {
    post: {
      operationId: 'requestEnhancement',
      tags: ['Enhancements'],
      summary: 'Order an enhancement of an upload that is there',
      requestParams: { path, header: idempotencyHeader.extend(preferHeader.shape) },
      requestBody: { required: true, content: { 'application/json': { schema: enhancementOrderSchema } } },
      responses: {
        '200': finishedAnswer('With `Prefer: wait`: the enhancement has ended.', enhancementSchema),
        '202': waitedAnswer(acceptedAnswer('The enhancement has been accepted.', enhancementSchema)),
        ...problems(
          'NOT_FOUND',
          'PDF_NOT_ANALYZED',
          'TARGET_RESOLUTION_EXCEEDS_PLAN',
          'UNSUPPORTED_MEDIA_TYPE',
          'FILE_TOO_LARGE',
          'CORRUPT_FILE',
        ),
      },
    },
  },
  '/v1/uploads/{id}/analyze': {
    post: {
      operationId: 'analyzeAgain',
      tags: ['Uploads'],
      summary: 'Analyse a PDF again whose analysis has failed',
      requestParams: { path, header: idempotencyHeader },
      responses: {
        '202': acceptedAnswer('The analysis runs, or was not needed.', uploadSchema),
        ...problems('NOT_FOUND'),
      },
    },
  },
  '/v1/uploads/{id}/events': {
    get: {
      operationId: 'followUpload',
      tags: ['Uploads'],
      summary: 'Follow an upload as server-sent events',
      description: [
        'Events `upload` and `enhancement` carry the record as it then stood and have an id: connecting again with it as `Last-Event-ID` goes on behind it; without one, all that happened is told first.',
        'Events `progress` carry `{ enhancementId, step, fraction }` of running work, `fraction` from 0.0 to 1.0, and have no id. `end` is the last one: the upload was deleted, or, with `until=settled`, nothing runs or waits any more.',
      ].join('\n\n'),
      requestParams: {
        path,
        query: eventsQuery,
        header: z.object({
          'Last-Event-ID': z
            .string()
            .optional()
            .meta({ description: 'Id of the last event that was seen', example: '12' }),
        }),
      },
      responses: {
        '200': { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        ...problems('NOT_FOUND'),
      },
    },
  },
};
