import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Router } from 'express';
import { FAILURE_CODES } from '../../domain/failures.ts';
import { compressedAsset } from '../http/compressed-asset.ts';
import { openApiDocument } from '../openapi/document.ts';
import { errorPage, errorsPage } from './error-pages.ts';
import { referencePage, START_SCRIPT } from './reference-page.ts';
import { DOCS_STYLE, REFERENCE_STYLE } from './style.ts';

/** Allows only scripts and styles of this server. Swagger UI's style sheet contains its icons. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Files of Swagger UI that the page needs, and the licences of the code in its script. */
const SWAGGER_UI = {
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui.css': STYLE,
};

const { resolve } = createRequire(import.meta.url);

/** `/openapi.json`, and `/docs` for people: generated at the first request, served from memory, readable without a key. */
export function docsRoutes(deps: { publicUrl: string; version: string }): Router {
  const router = Router();
  const serve = (path: string, contentType: string, content: () => string | Promise<Buffer>): void =>
    void router.get(path, compressedAsset(contentType, content));
  // It takes a tenth of a second, which the start of a gateway saves.
  serve('/openapi.json', 'application/json', () => JSON.stringify(openApiDocument(deps)));
  router.get('/docs', (_req, res, next) => {
    res.set('Content-Security-Policy', POLICY);
    next();
  });
  serve('/docs', PAGE, referencePage);
  serve('/docs/start.js', SCRIPT, () => START_SCRIPT);
  for (const [name, type] of Object.entries(SWAGGER_UI)) {
    serve(`/docs/${name}`, type, () => readFile(resolve(`swagger-ui-dist/${name}`)));
  }
  serve('/docs/reference.css', STYLE, () => REFERENCE_STYLE);
  serve('/docs/style.css', STYLE, () => DOCS_STYLE);
  serve('/docs/errors', PAGE, errorsPage);
  for (const code of FAILURE_CODES) serve(`/docs/errors/${code}`, PAGE, () => errorPage(code));
  return router;
}
