import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Router } from 'express';
import { FAILURE_CODES } from '@burnish/contract';
import { compressedAsset } from '../http/compressed-asset.ts';
import { openApiDocument } from '../openapi/document.ts';
import { errorPage, errorsPage } from './error-pages.ts';
import { referencePage, START_SCRIPT } from './reference-page.ts';

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

/** The style of the error pages; follows the reader's preference of light or dark. */
const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --back: #fff; --soft: #f5f4f1; --line: #e0ddd6; --text: #23211d; --link: #8a4b08;
}
@media (prefers-color-scheme: dark) {
  :root { --back: #191816; --soft: #23211e; --line: #3a3732; --text: #eae6df; --link: #f0b061; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
nav { padding: 1rem 2.5rem; background: var(--soft); border-bottom: 1px solid var(--line); }
.brand { margin: 0; font-size: 1.15rem; font-weight: 650; } .brand a { color: inherit; text-decoration: none; }
main { padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { margin: 0 0 0.5rem; font-size: 2rem; overflow-wrap: anywhere; }
h2 { margin: 1.6rem 0 0.25rem; font-size: 1.15rem; }
a { color: var(--link); }
code { padding: 0.08em 0.3em; border-radius: 4px; background: var(--soft); overflow-wrap: anywhere;
  font: 0.86em ui-monospace, 'DejaVu Sans Mono', Consolas, monospace; }
@media (max-width: 52rem) { nav { padding: 1rem; } main { padding: 1.25rem 1rem 4rem; } }
`;

/**
 * The style of the reference: that of Swagger UI, without its column of links, which no operation has and which makes
 * the page wider than a phone. In the dark its names of headers have almost the colour of the page.
 */
const REFERENCE_STYLE = `@import '/docs/swagger-ui.css';
.swagger-ui .response-col_links { display: none; }
.swagger-ui .opblock-external-docs__link { overflow-wrap: anywhere; word-break: break-all; }
.guide { display: flex; gap: 1.5rem; max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; font: 1rem/1.5 system-ui, sans-serif; }
.guide a { color: #8a4b08; }
html.dark-mode .guide a { color: #f0b061; }
html.dark-mode .swagger-ui .headers .header-col { color: #e4e6e6; }
`;
