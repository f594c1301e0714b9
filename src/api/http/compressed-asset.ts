import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { isUnchanged } from './preconditions.ts';

interface Asset {
  etag: string;
  plain: Buffer;
  zipped: Buffer;
}

/** Serves a fixed file, compressed if the client accepts it. The file is generated at the first request and cached. */
export function compressedAsset(
  contentType: string,
  content: () => string | Buffer | Promise<string | Buffer>,
): RequestHandler {
  let made: Promise<Asset> | undefined;
  return async (req, res) => {
    const { etag, plain, zipped } = await (made ??= makeAsset(content));
    const isKnown = isUnchanged(req, res, { etag });
    res.set({ 'Content-Type': contentType, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
    if (isKnown) {
      res.status(304).end();
      return;
    }
    const zip = req.acceptsEncodings('gzip') === 'gzip';
    if (zip) res.set('Content-Encoding', 'gzip');
    const body = zip ? zipped : plain;
    res.set('Content-Length', String(body.byteLength)).end(req.method === 'HEAD' ? undefined : body);
  };
}

async function makeAsset(content: () => string | Buffer | Promise<string | Buffer>): Promise<Asset> {
  const plain = Buffer.from(await content());
  const digest = createHash('sha256').update(plain).digest('base64url');
  return { etag: `"${digest.slice(0, 22)}"`, plain, zipped: await promisify(gzip)(plain) };
}
