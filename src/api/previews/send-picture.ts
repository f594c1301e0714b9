import type { Request, Response } from 'express';
import type { ObjectStore } from '../../storage/object-store.ts';
import { readIntact } from '../files/read-intact.ts';
import { isUnchanged } from '../http/preconditions.ts';
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
  { key, size, sha256, mimetype, expected }: ShownFile,
): Promise<void> {
  const isKnown = isUnchanged(req, res, { etag: `"${sha256}"` });
  res.set({
    'Content-Type': mimetype,
    'Content-Disposition': 'inline',
    'Cache-Control': 'private, max-age=3600',
    Vary: 'Cookie, X-Api-Key',
  });
  if (isKnown) {
    res.status(304).end();
    return;
  }
  if (req.method === 'HEAD') {
    res.set('Content-Length', String(size)).end();
    return;
  }
  const body = await readIntact(() => storage.get(key, undefined, expected)).catch((error: unknown) => {
    for (const name of ['ETag', 'Content-Disposition']) res.removeHeader(name);
    throw error;
  });
  res.set('Content-Length', String(size));
  await sendBody(res, body, 'preview');
}
