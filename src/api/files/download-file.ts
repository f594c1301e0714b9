import { pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '../../domain/failures.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { UrlSigner } from '../../storage/signed-url.ts';
import { sendProblem } from '../http/problem.ts';
import { contextOf } from '../http/request-context.ts';

export interface FileDeps {
  storage: Pick<ObjectStore, 'get' | 'head'>;
  signer: UrlSigner;
}

/** Downloads by signed address: no API key, since whoever holds the address may read that one file. */
export function fileRoutes(deps: FileDeps): Router {
  const router = Router();
  router.use('/files/:id/:filename', allowAnyOrigin);
  router.options('/files/:id/:filename', (_req, res) => {
    res
      .status(204)
      .set({
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': 'Range, If-Range, If-None-Match',
        'Access-Control-Max-Age': '86400',
      })
      .end();
  });
  router.get('/files/:id/:filename', (req, res) => download(deps, req, res));
  return router;
}

/** The address itself is the permission, so pages of any origin may read the file. */
const allowAnyOrigin: RequestHandler = (_req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers':
      'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, X-Request-Id',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  next();
};

async function download(
  { storage, signer }: FileDeps,
  req: Request<{ filename: string }>,
  res: Response,
): Promise<void> {
  const verdict = signer.verify(req.originalUrl);
  if (!verdict.ok) {
    if (verdict.reason === 'expired') {
      const detail = 'The address has expired; read the record again for a fresh one.';
      throw new Failure('SIGNED_URL_EXPIRED', { detail });
    }
    const detail = 'The address is not one that was handed out.';
    // 403 and not 401: no key would help.
    sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
    return;
  }
  const { key, type } = verdict.claims;
  const object = await storage.head(String(key));
  if (object === undefined) throw new Failure('NOT_FOUND', { detail: 'The file has been deleted.' });

  const etag = `"${object.sha256}"`;
  res.set({
    ETag: etag,
    'Content-Type': String(type),
    'Content-Disposition': contentDisposition(req.params.filename),
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=3600',
  });
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  const range = wantedRange(req, object.size, etag);
  if (range === 'unsatisfiable') {
    res.removeHeader('Content-Disposition');
    res.set('Content-Range', `bytes */${object.size}`);
    sendProblem(req, res, new Failure('BAD_USER_INPUT', { detail: 'The range lies outside of the file.' }), 416);
    return;
  }
  const { start, end } = range ?? { start: 0, end: object.size - 1 };
  res.set('Content-Length', String(end - start + 1));
  if (range !== undefined) res.status(206).set('Content-Range', `bytes ${start}-${end}/${object.size}`);
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const body = await storage.get(String(key), range);
  await pipeline(body, res).catch((error: unknown) => {
    // Headers are out already, so a broken stream can only be cut off; a client that left is no error.
    contextOf(res).log.debug({ err: error }, 'download ended early');
    res.destroy();
  });
}

/** One range of bytes, or undefined for the whole file: also for several ranges, and when `If-Range` names other bytes. */
function wantedRange(
  req: Request<object>,
  size: number,
  etag: string,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const condition = req.headers['if-range'];
  if (req.headers.range === undefined || (condition !== undefined && condition !== etag)) return undefined;
  const ranges = req.range(size);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}
