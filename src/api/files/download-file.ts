import { create as contentDisposition } from 'content-disposition';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { Failure } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import type { ByteRange, ObjectStore } from '../../storage/object-store.ts';
import { isUnchanged } from '../http/preconditions.ts';
import { sendProblem } from '../http/problem.ts';
import { sendBody } from '../http/send-body.ts';
import { openOperation } from '../rest/operation.ts';
import { readIntact } from './read-intact.ts';
import { requestedRange } from './requested-range.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';

interface DownloadNeeds {
  storage: ObjectStore;
  signer: UrlSigner;
}

/** The URL itself grants access, so pages of any origin may read the file. */
const allowAnyOrigin: RequestHandler = (_req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers':
      'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, X-Request-Id',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  next();
};

const tag = 'Files';
const path = '/files/{id}/{filename}';
const parameters = z.object({ id: z.string(), filename: z.string() });
const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } as const;

/** Downloads by signed URL. They need no API key: the URL grants access to one file. */
export const downloadOperations = [
  openOperation({
    operationId: 'downloadFile',
    method: 'get',
    path,
    tag,
    summary: 'Download a file by its signed URL',
    description:
      'The signed URL is `url` or `fullUrl` of a record; do not construct it. It stays the same for an hour, so that caches can keep the file. A GET can ask for one range of bytes. CORS permits any origin.',
    parameters,
    query: z.object({ token: z.string().meta({ description: 'Opaque token, valid for 23 to 24 hours' }) }),
    headers: z.object({ Range: z.string().optional().meta({ example: 'bytes=0-1023' }) }),
    responses: {
      '200': { description: 'The file.', content: bytes },
      '206': { description: 'The range.', content: bytes },
      '304': { description: 'The file matches `If-None-Match`.' },
    },
    refusals: {
      403: 'The URL has expired (`SIGNED_URL_EXPIRED`), or its signature is not valid.',
      404: 'The file has been deleted.',
      412: 'The file differs from `If-Match`, or is later than `If-Unmodified-Since`.',
      416: 'The range lies outside of the file. Ask for bytes within its Content-Length.',
      500: 'Storage has damaged the file (`ORIGINAL_DAMAGED`, `RESULT_DAMAGED`).',
      503: 'Storage is unavailable. Try again.',
    },
    before: () => [allowAnyOrigin],
    handle: (req, res, deps: DownloadNeeds) => download(deps, req, res),
  }),

  openOperation({
    operationId: 'allowDownloadFile',
    method: 'options',
    path,
    tag,
    summary: 'Allow a browser to read ranges of a file',
    description: 'The preflight request of CORS.',
    parameters,
    responses: { '204': { description: 'CORS permits any origin.' } },
    refusals: { 400: 'The request cannot be read.' },
    before: () => [allowAnyOrigin],
    handle(_req, res) {
      res
        .status(204)
        .set({
          'Access-Control-Allow-Methods': 'GET, HEAD',
          'Access-Control-Allow-Headers':
            'Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since',
          'Access-Control-Max-Age': '86400',
        })
        .end();
    },
  }),
];

async function download(
  { storage, signer }: DownloadNeeds,
  req: Request<Record<string, string>>,
  res: Response,
): Promise<void> {
  const verdict = signer.verify(req.originalUrl);
  if (!verdict.ok) {
    if (verdict.reason === 'expired') {
      const detail = 'The URL has expired. Read the record again for a new URL.';
      throw new Failure('SIGNED_URL_EXPIRED', { detail });
    }
    const detail = 'The signature of the URL is not valid. Use the URL of the record unchanged.';
    // 403 and not 401, because an API key would not help.
    sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
    return;
  }
  const key = String(verdict.claims['key']);
  const object = await storage.head(key);
  if (object === undefined) throw new Failure('NOT_FOUND', { detail: 'The file has been deleted. Send it again.' });
  const expected = checked(fileClaims, verdict.claims, 'The signed URL');
  const { size, sha256, at } = expected;

  const etag = `"${sha256}"`;
  if (isUnchanged(req, res, { etag, modifiedAt: at === undefined ? undefined : new Date(at) })) {
    res.status(304).set(CACHING).end();
    return;
  }
  const range = wantedRange(req, size, etag);
  if (range === 'unsatisfiable') {
    forgetValidators(res).set('Content-Range', `bytes */${size}`);
    sendProblem(
      req,
      res,
      new Failure('BAD_USER_INPUT', {
        detail: 'The range lies outside of the file. Ask for bytes within its Content-Length.',
      }),
      416,
    );
    return;
  }
  // Before the headers, which a refusal must not have. A long file that is read whole breaks before its last bytes instead.
  const body =
    req.method === 'HEAD'
      ? undefined
      : await readIntact(() => storage.get(key, range, expected)).catch((error: unknown) => {
          forgetValidators(res);
          throw error;
        });
  const { start, end } = range ?? { start: 0, end: size - 1 };
  res.set({
    'Content-Type': String(verdict.claims['type']),
    'Content-Disposition': contentDisposition(req.params['filename']),
    'Accept-Ranges': 'bytes',
    'Content-Length': String(end - start + 1),
    ...CACHING,
  });
  if (range !== undefined) res.status(206).set('Content-Range', `bytes ${start}-${end}/${size}`);
  if (body === undefined) res.end();
  else await sendBody(res, body, 'download');
}

const CACHING = { 'Cache-Control': 'private, max-age=3600' };

/** Size, hash and time of the record, which a signed URL carries. A URL of an earlier version has no time. */
const fileClaims = z.object({ size: z.number(), sha256: z.string(), at: z.number().optional() });

/** A refusal has no bytes that they could name. */
function forgetValidators(res: Response): Response {
  for (const name of ['ETag', 'Last-Modified']) res.removeHeader(name);
  return res;
}

/** The requested range of bytes, or undefined for the whole file: also for HEAD, and for an `If-Range` of other bytes. */
function wantedRange(req: Request<object>, size: number, etag: string): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': condition } = req.headers;
  if (req.method !== 'GET' || range === undefined || (condition !== undefined && condition !== etag)) return undefined;
  return requestedRange(range, size);
}
