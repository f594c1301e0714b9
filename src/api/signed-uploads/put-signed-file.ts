import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import { mediaTypeNamed } from '../../domain/upload/media.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import type { SignedUploadCommands } from './signed-upload-commands.ts';
import type { DetectMediaType, Uploads } from '../ports.ts';
import { sendProblem } from '../http/problem.ts';
import { headerOf } from '../http/request-context.ts';
import { discardStaged, openRequestBody, stageFile, TAKEN_WITHIN_MS } from '../uploads/receive/stage-file.ts';
import type { StageDeps } from '../uploads/receive/stage-file.ts';
import type { Admission } from '../trouble/admission.ts';

export interface SignedUploadDeps extends StageDeps {
  signer: Pick<UrlSigner, 'verify'>;
  uploads: Pick<Uploads, 'find'>;
  commands: Pick<SignedUploadCommands, 'putSignedFile' | 'refuseLongFile'>;
  detectMediaType: DetectMediaType;
  admission: Pick<Admission, 'door'>;
}

/** A client whose connection has died may try again before we know; more than that fills the disk for nothing. */
const PUTS_AT_ONCE = 2;

const claimsSchema = z.object({ size: z.number(), type: z.string() });

/** Puts of files by signed URL: no API key, since whoever holds the URL may send that one file. Browsers may, from any page. */
export function signedUploadRoutes(deps: SignedUploadDeps): Router {
  const router = Router();
  const running = new Map<string, number>();

  router.options('/uploads/:id', allowAnyOrigin, (_req, res) => {
    res
      .status(204)
      .set({
        'Access-Control-Allow-Methods': 'PUT',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': '86400',
      })
      .end();
  });

  router.put('/uploads/:id', allowAnyOrigin, deps.admission.door, async (req, res) => {
    const { id } = req.params as { id: string };
    const others = running.get(id) ?? 0;
    if (others >= PUTS_AT_ONCE) {
      throw new Failure('RATE_LIMITED', { detail: 'The file is being sent already.', retryAfterSeconds: 5 });
    }
    running.set(id, others + 1);
    try {
      await put(deps, id, req, res);
    } finally {
      const left = running.get(id)! - 1;
      if (left > 0) running.set(id, left);
      else running.delete(id);
    }
  });
  return router;
}

const allowAnyOrigin: RequestHandler = (_req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, X-Request-Id, Retry-After',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  next();
};

async function put(deps: SignedUploadDeps, id: string, req: Request, res: Response): Promise<void> {
  const verdict = deps.signer.verify(req.originalUrl);
  if (!verdict.ok) {
    if (verdict.reason === 'expired') throw new Failure('SIGNED_URL_EXPIRED');
    // 403 and not 401: no key would help.
    const detail = 'The URL is not one that was handed out.';
    sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
    return;
  }
  const declared = claimsSchema.parse(verdict.claims);
  const contentType = (headerOf(req, 'content-type') ?? '').split(';')[0]!.trim();
  if (mediaTypeNamed(contentType) !== declared.type) {
    const detail = `Expected the Content-Type ${declared.type}, as it was declared.`;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'Content-Type', detail });
  }
  const upload = await deps.uploads.find(id);
  if (upload?.status !== 'UPLOAD_PENDING' || upload.objectKey !== null) throw usedUrl();
  if (Number(headerOf(req, 'content-length') ?? 0) > declared.size)
    throw await refusedLongFile(deps, id, declared.size);

  const body = await openRequestBody(req);
  const mimetype = (await deps.detectMediaType(body.head)) ?? null;
  const staged = await stageFile(deps, upload.accountId, body, { maxBytes: declared.size }).catch(async (error) => {
    const tooLong = error instanceof Failure && error.code === 'FILE_TOO_LARGE';
    throw tooLong ? await refusedLongFile(deps, id, declared.size) : error;
  });
  const { objectKey, size, sha256 } = staged;
  try {
    const taken = await deps.commands.putSignedFile(id, { objectKey, size, sha256, mimetype });
    // What the upload is still to take over stays where it is; the sweep removes it later.
    if (taken) await discardStaged(deps, staged);
    else await deps.stagedFiles.add(staged.uploadId, objectKey, TAKEN_WITHIN_MS);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'BAD_USER_INPUT') {
      // After any other error the upload may still take it.
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
 * Ends the upload, whose file is not the declared one.
 * @param size bytes that were declared
 * @returns the refusal of the PUT
 */
async function refusedLongFile({ commands }: SignedUploadDeps, id: string, size: number): Promise<Failure> {
  try {
    await commands.refuseLongFile(id);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'BAD_USER_INPUT') throw error;
    return usedUrl();
  }
  const detail = `The file is larger than the ${counted(size, 'byte')} that were declared, so its upload has failed.`;
  return new Failure('FILE_TOO_LARGE', { detail });
}

function usedUrl(): Failure {
  return new Failure('SIGNED_URL_USED', { detail: 'The signed URL has been used already, or its upload has ended.' });
}
