import { Router } from 'express';
import { compressedAsset } from '../../http/compressed-asset.ts';
import { graphiqlPage, RENDER_SCRIPT, START_SCRIPT } from './graphiql-page.ts';

/** Allows only scripts of this server. The editor adds styles to the page at run time and contains its fonts. */
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

/** `/graphiql`: the schema browser and its files, all from this server. */
export function graphiqlRoutes(): Router {
  const router = Router();
  router.use('/graphiql', (_req, res, next) => {
    res.set('Content-Security-Policy', POLICY);
    next();
  });
  router.get('/graphiql', compressedAsset('text/html; charset=utf-8', graphiqlPage));
  router.get(
    '/graphiql/start.js',
    compressedAsset(SCRIPT, () => START_SCRIPT),
  );
  router.get(
    '/graphiql/render.js',
    compressedAsset(SCRIPT, () => RENDER_SCRIPT),
  );
  router.get(
    '/graphiql/graphiql.js',
    compressedAsset(SCRIPT, async () => (await graphiql()).js),
  );
  router.get(
    '/graphiql/style.css',
    compressedAsset('text/css; charset=utf-8', async () => (await graphiql()).css),
  );
  router.get(
    '/graphiql/editor.worker.js',
    compressedAsset(SCRIPT, async () => (await graphiql()).editorWorkerService),
  );
  router.get(
    '/graphiql/json.worker.js',
    compressedAsset(SCRIPT, async () => (await graphiql()).jsonWorker),
  );
  router.get(
    '/graphiql/graphql.worker.js',
    compressedAsset(SCRIPT, async () => (await graphiql()).graphqlWorker),
  );
  return router;
}

/** Nine megabytes of text, so they are loaded at the first request. */
const graphiql = () => import('@graphql-yoga/render-graphiql/graphiql');
