import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { graphiqlPage, RENDER_SCRIPT, START_SCRIPT } from './graphiql-page.ts';

/** Scripts of ours alone; the editor writes styles into the page as it goes and holds its fonts itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SCRIPT = 'text/javascript; charset=utf-8';

/** `/graphiql`: the schema browser, with everything that it needs from this server. */
export function graphiqlRoutes(): Router {
  const router = Router();
  router.use('/graphiql', (_req, res, next) => {
    res.set('Content-Security-Policy', POLICY);
    next();
  });
  router.get('/graphiql', asset('text/html; charset=utf-8', graphiqlPage));
  router.get(
    '/graphiql/start.js',
    asset(SCRIPT, () => START_SCRIPT),
  );
  router.get(
    '/graphiql/render.js',
    asset(SCRIPT, () => RENDER_SCRIPT),
  );
  router.get(
    '/graphiql/graphiql.js',
    asset(SCRIPT, async () => (await graphiql()).js),
  );
  router.get(
    '/graphiql/style.css',
    asset('text/css; charset=utf-8', async () => (await graphiql()).css),
  );
  router.get(
    '/graphiql/editor.worker.js',
    asset(SCRIPT, async () => (await graphiql()).editorWorkerService),
  );
  router.get(
    '/graphiql/json.worker.js',
    asset(SCRIPT, async () => (await graphiql()).jsonWorker),
  );
  router.get(
    '/graphiql/graphql.worker.js',
    asset(SCRIPT, async () => (await graphiql()).graphqlWorker),
  );
  return router;
}

/** Nine megabytes of text, so they are read when somebody asks for them first. */
const graphiql = () => import('@graphql-yoga/render-graphiql/graphiql');

interface Asset {
  etag: string;
  plain: Buffer;
  zipped: Buffer;
}

/** Made at the first request and kept. */
function asset(contentType: string, text: () => string | Promise<string>): RequestHandler {
  let made: Promise<Asset> | undefined;
  return async (req, res) => {
    const { etag, plain, zipped } = await (made ??= makeAsset(text));
    res.set({ 'Content-Type': contentType, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const zip = req.acceptsEncodings('gzip') === 'gzip';
    if (zip) res.set('Content-Encoding', 'gzip');
    const body = zip ? zipped : plain;
    res.set('Content-Length', String(body.byteLength)).end(req.method === 'HEAD' ? undefined : body);
  };
}

async function makeAsset(text: () => string | Promise<string>): Promise<Asset> {
  const plain = Buffer.from(await text());
  const digest = createHash('sha256').update(plain).digest('base64url');
  return { etag: `"${digest.slice(0, 22)}"`, plain, zipped: await promisify(gzip)(plain) };
}
