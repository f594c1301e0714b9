import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { counted, INPUT_MEDIA_TYPES, mediaTypeNamed, Failure, FAILURES, type Upload } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import {
  discardStaged,
  openRequestBody,
  stageFile,
  TAKEN_WITHIN_MS,
  type ReceiveDeps,
} from '../uploads/receive/stage-file.ts';
import { sendProblem } from '../http/problem.ts';
import { noteCaller } from '../http/connection-limits.ts';
import { readHeader } from '../http/request-context.ts';
import { openOperation } from '../rest/operation.ts';
import { requestIdHeader } from '../rest/shared-headers.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { FairLimiter } from '../../process/fair-limiter.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import type { Admission } from '../http/admission.ts';
import type { SignedUploadCommands } from './signed-upload-commands.ts';

interface PutNeeds extends ReceiveDeps {
  signer: UrlSigner;
  /** Limits the PUTs to one URL */
  putLimit: FairLimiter;
  admission: Admission;
  uploads: Uploads;
  commands: SignedUploadCommands;
}

const claimsSchema = z.object({ size: z.number(), type: z.string() });

const tag = 'Files';
const path = '/uploads/{id}';
const parameters = z.object({
  id: z.string().meta({ description: 'Id of the upload', example: 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const bytes = { schema: { type: 'string', format: 'binary' } } as const;

const allowAnyOrigin: RequestHandler = (_req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, X-Request-Id, Retry-After',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  next();
};

/** PUTs of files to signed URLs. They need no API key: the URL accepts one file. Browsers may send from any page. */
export const putSignedFileOperations = [
  openOperation({
    operationId: 'putFile',
    method: 'put',
    path,
    tag,
    summary: 'Send a file to its signed URL',
    description:
      'Step 2 of 3. The URL is `uploadUrl` of the upload; do not construct it. The `Content-Type` must be the declared media type. One PUT succeeds; an interrupted PUT can be repeated. A file that is longer than declared fails the upload with `UPLOAD_MISMATCH`. CORS permits any origin.',
    parameters,
    query: z.object({ token: z.string().meta({ description: 'Signature, valid for 1 hour' }) }),
    requestBody: { required: true, content: Object.fromEntries(INPUT_MEDIA_TYPES.map((type) => [type, bytes])) },
    responses: {
      '200': {
        description: 'The file has arrived.',
        headers: { ...requestIdHeader, ETag: { description: 'SHA-256 of the file', schema: { type: 'string' } } },
      },
    },
    refusals: {
      400: 'The request cannot be read.',
      403: 'The URL has expired (`SIGNED_URL_EXPIRED`), has been used (`SIGNED_URL_USED`), or its signature is not valid.',
      408: 'The file arrived too slowly (`REQUEST_TIMEOUT`). Send it again.',
      413: 'The file is longer than declared.',
      415: 'The Content-Type differs from the declaration.',
      429: 'Another request is sending the file.',
      503: 'A part of the instance is unavailable. Try again.',
    },
    before: ({ admission }: PutNeeds) => [allowAnyOrigin, admission.check],
    async handle(req, res, deps: PutNeeds) {
      const declared = readDeclaration(deps, req, res);
      if (declared === undefined) return;
      const id = req.params['id']!;
      await deps.putLimit.run({ owner: id, refusal: alreadySending }, () => put(deps, { id, ...declared }, req, res));
    },
  }),

  openOperation({
    operationId: 'allowPutFile',
    method: 'options',
    path,
    tag,
    summary: 'Allow a browser to send a file',
    description: 'The preflight request of CORS.',
    parameters,
    responses: { '204': { description: 'CORS permits any origin.', headers: requestIdHeader } },
    refusals: { 400: 'The request cannot be read.' },
    before: () => [allowAnyOrigin],
    handle(_req, res) {
      res
        .status(204)
        .set({
          'Access-Control-Allow-Methods': 'PUT',
          'Access-Control-Allow-Headers': 'Content-Type',
          'Access-Control-Max-Age': '86400',
        })
        .end();
    },
  }),
];

const alreadySending = (): Failure =>
  new Failure('RATE_LIMITED', {
    detail: 'Other requests already send this file. Wait for their end.',
    retryAfterSeconds: 5,
  });

type Declaration = z.infer<typeof claimsSchema>;

/** The declaration that the URL's signature proves. Undefined after a refusal. @throws Failure */
function readDeclaration({ signer }: PutNeeds, req: Request<object>, res: Response): Declaration | undefined {
  const verdict = signer.verify(req.originalUrl);
  if (!verdict.ok) {
    if (verdict.reason === 'expired') throw new Failure('SIGNED_URL_EXPIRED');
    // 403 and not 401, because an API key would not help.
    const detail = 'The signature of the URL is not valid. Use `uploadUrl` of the upload unchanged.';
    sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
    return undefined;
  }
  const declared = checked(claimsSchema, verdict.claims, 'The signed URL');
  const contentType = (readHeader(req, 'content-type') ?? '').split(';')[0]!.trim();
  if (mediaTypeNamed(contentType) !== declared.type) {
    const detail = `The Content-Type differs from the declaration. Send the file as ${declared.type}.`;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'Content-Type', detail });
  }
  return declared;
}

async function put(
  deps: PutNeeds,
  declared: Declaration & { id: string },
  req: Request<object>,
  res: Response,
): Promise<void> {
  const { id } = declared;
  const upload = await deps.uploads.find(id);
  if (upload?.status !== 'UPLOAD_PENDING' || upload.objectKey !== null) throw usedUrl();
  if (Number(readHeader(req, 'content-length') ?? 0) > declared.size)
    throw await refusedLongFile(deps, upload, declared.size);

  noteCaller(req.socket, upload.accountId);
  await deps.admission.admit(upload.accountId, res);
  const body = await openRequestBody(req);
  const mimetype = (await deps.detectMediaType(body.head)) ?? null;
  const staged = await stageFile(deps, upload.accountId, body, { maxBytes: declared.size }).catch(async (error) => {
    const tooLong = error instanceof Failure && error.code === 'FILE_TOO_LARGE';
    throw tooLong ? await refusedLongFile(deps, upload, declared.size) : error;
  });
  const { objectKey, size, sha256 } = staged;
  try {
    const taken = await deps.commands.putSignedFile(upload, { objectKey, size, sha256, mimetype });
    // A file that the upload has not accepted yet remains; the sweep removes it later.
    if (taken) await discardStaged(deps, staged);
    else await deps.stagedFiles.add(staged.uploadId, objectKey, TAKEN_WITHIN_MS);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'CONFLICT') {
      // After any other error the upload may still accept the file.
      await deps.stagedFiles.add(staged.uploadId, objectKey, TAKEN_WITHIN_MS);
      throw error;
    }
    await discardStaged(deps, staged);
    throw usedUrl();
  }
  res
    .status(200)
    .set({ ETag: `"${sha256}"`, 'Content-Length': '0' })
    .end();
}

/**
 * Fails the upload, since its file differs from the declared one.
 * @param size declared bytes
 * @returns the refusal of the PUT
 */
async function refusedLongFile({ commands }: PutNeeds, upload: Upload, size: number): Promise<Failure> {
  try {
    await commands.refuseLongFile(upload);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'CONFLICT') throw error;
    return usedUrl();
  }
  const fault = `The file is larger than the ${counted(size, 'byte')} of its declaration, so the upload has failed.`;
  const detail = `${fault} ${FAILURES.UPLOAD_MISMATCH.remedy}`;
  return new Failure('FILE_TOO_LARGE', { detail });
}

function usedUrl(): Failure {
  return new Failure('SIGNED_URL_USED', { detail: 'The signed URL has been used already, or its upload has ended.' });
}
