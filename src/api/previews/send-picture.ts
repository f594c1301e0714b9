import type { Request, Response } from 'express';
import type { ObjectStore } from '../../storage/object-store.ts';
import { sendBody } from '../http/send-body.ts';
import type { ShownFile } from './previews.ts';

/**
 * Sends a picture. Its bytes never change, so a browser may cache it: only for an hour, since the upload may be
 * deleted, and only for this caller.
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
  await sendBody(res, await storage.get(key), 'preview');
}
