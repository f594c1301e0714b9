import { createHash } from 'node:crypto';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { FAILURE_CODES } from '../../domain/failures.ts';
import { openApiDocument } from '../openapi/document.ts';
import { errorPage, errorsPage } from './error-pages.ts';
import { docsPage } from './page.ts';
import { DOCS_STYLE } from './style.ts';

/** `/openapi.json`, and `/docs` for people: made once, served from memory, free to read without a key. */
export function docsRoutes(deps: { publicUrl: string; version: string }): Router {
  const document = openApiDocument(deps);
  const router = Router();
  router.get('/openapi.json', fixed('application/json', JSON.stringify(document)));
  router.get('/docs', fixed('text/html; charset=utf-8', docsPage(document)));
  router.get('/docs/style.css', fixed('text/css; charset=utf-8', DOCS_STYLE));
  router.get('/docs/errors', fixed('text/html; charset=utf-8', errorsPage()));
  for (const code of FAILURE_CODES) {
    router.get(`/docs/errors/${code}`, fixed('text/html; charset=utf-8', errorPage(code)));
  }
  return router;
}

function fixed(contentType: string, text: string): RequestHandler {
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return (req, res) => {
    res.set({ 'Content-Type': contentType, ETag: etag, 'Cache-Control': 'no-cache' });
    if (req.fresh) res.status(304).end();
    else res.end(req.method === 'HEAD' ? undefined : body);
  };
}
