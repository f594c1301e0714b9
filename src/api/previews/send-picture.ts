import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { ObjectStore } from '../../storage/object-store.ts';
import { contextOf } from '../http/request-context.ts';
import type { ShownFile } from './previews.ts';

/**
 * Answers a request with a picture. Its bytes never change, so a browser keeps it; for an hour only, since the upload may
 * be deleted, and for this caller only.
 */
export async function sendPicture(
  storage: Pick<ObjectStore, 'get'>,
  req: Request<object>,
  res: Response,
  { key, size, sha256, mimetype }: ShownFile,
): Promise<void> {
  res.set({
    ETag: `"${sha256}"`,
    'Content-Type': mimetype,
    'Content-Disposition': 'inline',
    'Cache-Control': 'private, max-age=3600',
    Vary: 'Cookie, X-Api-Key',
  });
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  res.set('Content-Length', String(size));
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const body = await storage.get(key);
  await pipeline(body, res).catch((error: unknown) => {
    // Headers are out already; a client that left is no error.
    contextOf(res).log.debug({ err: error }, 'preview ended early');
    res.destroy();
  });
}
