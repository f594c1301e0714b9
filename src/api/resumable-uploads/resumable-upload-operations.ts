import type { Response } from 'express';
import { z } from 'zod';
import { checked } from '@burnish/contract/schemas';
import { getUploadIdempotencyKey, readHeader } from '../http/request-context.ts';
import { created, sentByHandler } from '../rest/answers.ts';
import { idPath, openOperation, operation } from '../rest/operation.ts';
import { refusal } from '../rest/problem-responses.ts';
import { requestIdHeader } from '../rest/shared-headers.ts';
import { passwordHeader, PASSWORD_HEADER } from '../uploads/receive/read-upload.ts';
import { toUploadOrder, uploadOrderTexts } from '../uploads/upload-order-schemas.ts';
import { representUploadWithEnhancements, uploadWithEnhancementsSchema } from '../uploads/upload-schemas.ts';
import { appendBytes, type AppendNeeds } from './append-bytes.ts';
import { assertTusVersion, PART_TYPE, parseMetadata, readUploadLength, TUS_OFFER, TUS_PATH } from './tus-headers.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { UploadCommands } from '../uploads/upload-commands.ts';

interface ResumableUploadNeeds extends AppendNeeds {
  urls: FileUrls;
  commands: AppendNeeds['commands'] & Pick<UploadCommands, 'deleteUpload'>;
}

const tag = 'Uploads';
const path = `${TUS_PATH}/{id}`;
const parameters = idPath('upl');
const version = {
  'Tus-Resumable': z.enum(['1.0.0']).meta({ description: 'Version of tus. With another one, the answer is 412.' }),
};
const text = (description: string) => ({ description, schema: { type: 'string' as const } });
const expires = { 'Upload-Expires': text('Deadline of the file, as an HTTP date.') };
const offset = { 'Upload-Offset': text('Bytes in storage.') };
const wrongVersion = { '412': refusal('Another version of tus.') };
const ended = { '410': refusal('The upload has failed, with the code of its failure.') };

const creation = created(
  'The upload with status UPLOAD_PENDING. Send its bytes to `Location`, before `Upload-Expires`.',
  uploadWithEnhancementsSchema,
);

/** Keys that upload programs add for themselves. */
const IGNORED_KEYS = ['name', 'type', 'relativePath'];

const metadataSchema = uploadOrderTexts.extend({
  filetype: z.string().max(100).optional(),
  ...Object.fromEntries(IGNORED_KEYS.map((key) => [key, z.string().optional()])),
});

/** `/v1/tus`: uploads by tus 1.0.0, which survive lost connections. */
export const resumableUploadOperations = [
  operation({
    operationId: 'createResumableUpload',
    scope: 'uploads',
    method: 'post',
    path: TUS_PATH,
    tag,
    summary: 'Create an upload whose file arrives in parts',
    description: [
      'For any program that supports tus 1.0.0 with the extension `creation`. The file must be complete within 24 hours; otherwise the upload fails with `UPLOAD_EXPIRED`.',
      'The keys of `Upload-Metadata` are `filetype` and the query parameters of `POST /v1/uploads`, with the same values. The keys `name`, `type` and `relativePath` are ignored. Without `filetype`, the content decides about the type.',
      'Headers and URL together have at most 16 KB. Order more enhancements after the upload.',
    ].join('\n\n'),
    headers: z.object({
      ...version,
      'Upload-Length': z.string().meta({ description: 'Exact size of the file in bytes.', example: '2400000' }),
      'Upload-Metadata': z.string().optional().meta({
        description: 'Pairs of a key and a Base64 value, separated by commas.',
        example: 'filename cGhvdG8uanBn,filetype aW1hZ2UvanBlZw==',
      }),
      [PASSWORD_HEADER]: z.string().optional().meta({ description: 'Password of the PDF, percent-encoded.' }),
    }),
    createsUpload: true,
    answer: { ...creation, responses: { ...creation.responses, ...wrongVersion } },
    failures: [
      'FILE_TOO_SMALL',
      'FILE_TOO_LARGE',
      'STORAGE_LIMIT',
      'UNSUPPORTED_MEDIA_TYPE',
      'URL_NOT_ALLOWED',
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
    ],
    async handle({ caller, req, res }, { commands, urls }: ResumableUploadNeeds) {
      assertTusVersion(req, res);
      const length = readUploadLength(req);
      const metadata = readHeader(req, 'upload-metadata') ?? '';
      const { filetype, ...fields } = checked(metadataSchema, parseMetadata(metadata), 'Upload-Metadata');
      for (const key of IGNORED_KEYS) delete (fields as Record<string, unknown>)[key];
      const order = { ...toUploadOrder({ ...fields, password: passwordHeader(req) }), length, filetype, metadata };
      const made = await commands.createResumableUpload(caller, order, getUploadIdempotencyKey(req, res));
      setExpiry(res, made.expiresAt);
      return { location: `${TUS_PATH}/${made.upload.id}`, body: representUploadWithEnhancements(made, urls) };
    },
  }),

  operation({
    operationId: 'getResumableUpload',
    scope: 'uploads',
    method: 'head',
    path,
    tag,
    summary: 'Read how many bytes of an upload have arrived',
    description: 'Continue at this offset after a lost connection.',
    parameters,
    headers: z.object(version),
    answer: sentByHandler({
      '200': {
        description: 'The offset.',
        headers: {
          ...requestIdHeader,
          ...offset,
          ...expires,
          'Upload-Length': text('Bytes of the file.'),
          'Upload-Metadata': text('As the client sent it.'),
        },
      },
      ...wrongVersion,
      ...ended,
    }),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, req, res }, { commands }: ResumableUploadNeeds) {
      assertTusVersion(req, res);
      const upload = await commands.readResumableUpload(caller, id);
      setExpiry(res, upload.expiresAt);
      if (upload.metadata !== '') res.set('Upload-Metadata', upload.metadata);
      res
        .status(200)
        .set({
          'Upload-Offset': String(upload.offset),
          'Upload-Length': String(upload.length),
          'Cache-Control': 'no-store',
        })
        .end();
    },
  }),

  operation({
    operationId: 'appendToResumableUpload',
    scope: 'uploads',
    method: 'patch',
    path,
    tag,
    summary: 'Send bytes of a file',
    description: [
      'Bytes are durable as soon as the offset of the upload includes them, also within a running request. After the last byte, the upload continues by itself.',
      'With `Upload-Checksum`, the bytes of the request are kept only if they match.',
    ].join('\n\n'),
    parameters,
    headers: z.object({
      ...version,
      'Upload-Offset': z.string().meta({ description: 'Byte at which the body starts.', example: '0' }),
      'Upload-Checksum': z.string().optional().meta({
        description: 'Algorithm (`sha1` or `sha256`) and Base64 digest of the body.',
        example: 'sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=',
      }),
    }),
    withoutKey: true,
    requestBody: { required: true, content: { [PART_TYPE]: { schema: { type: 'string', format: 'binary' } } } },
    answer: sentByHandler({
      '204': { description: 'The bytes are stored.', headers: { ...requestIdHeader, ...offset, ...expires } },
      '409': refusal('`Upload-Offset` is not the offset of the upload. Read it by HEAD, and continue there.'),
      ...wrongVersion,
      ...ended,
      '423': refusal('Other requests send bytes of this upload, and one more would be too many. Try again later.'),
      '460': refusal('The bytes differ from their checksum.'),
    }),
    failures: ['NOT_FOUND', 'FILE_TOO_LARGE', 'FILE_TOO_SMALL', 'UNSUPPORTED_MEDIA_TYPE', 'UPLOAD_MISMATCH'],
    async handle({ caller, parameters: { id }, req, res }, deps: ResumableUploadNeeds) {
      assertTusVersion(req, res);
      const upload = await appendBytes(deps, caller, id, req, res);
      setExpiry(res, upload.expiresAt);
      res.status(204).set('Upload-Offset', String(upload.offset)).end();
    },
  }),

  operation({
    operationId: 'deleteResumableUpload',
    scope: 'uploads',
    method: 'delete',
    path,
    tag,
    summary: 'Delete an upload and its bytes',
    description: 'The same as `DELETE /v1/uploads/{id}`, also for a complete upload.',
    parameters,
    headers: z.object(version),
    answer: sentByHandler({
      '204': { description: 'The upload is deleted.', headers: requestIdHeader },
      ...wrongVersion,
    }),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, idempotencyKey, req, res }, { commands }: ResumableUploadNeeds) {
      assertTusVersion(req, res);
      await commands.deleteUpload(caller, id, idempotencyKey);
      res.status(204).end();
    },
  }),
];

const discover = (operationId: string, at: string) =>
  openOperation<object>({
    operationId,
    method: 'options',
    path: at,
    tag,
    summary: 'Read what tus offers here',
    description: 'Versions, extensions, checksums and the maximum size.',
    ...(at === path ? { parameters: z.object({ id: z.string() }) } : {}),
    responses: {
      '204': {
        description: 'What the server supports.',
        headers: {
          ...requestIdHeader,
          ...Object.fromEntries(Object.entries(TUS_OFFER).map(([name, value]) => [name, text(`\`${value}\``)])),
        },
      },
    },
    refusals: { 400: 'The request cannot be read.' },
    handle: (_req, res) => void res.status(204).set(TUS_OFFER).end(),
  });

/** Discovery, which needs no API key. */
export const discoverTusOperations = [discover('discoverTus', TUS_PATH), discover('discoverTusOfUpload', path)];

function setExpiry(res: Response, expiresAt: string): void {
  res.set('Upload-Expires', new Date(expiresAt).toUTCString());
}
