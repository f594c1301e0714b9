import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { Router, type RequestHandler } from 'express';
import { compressedAsset } from '../http/compressed-asset.ts';
import { isRead } from '../http/request-context.ts';
import { html, page } from '../http/html.ts';

/** Allows only scripts, styles, pictures and the index of this server, and no text as markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Types by extension. Anything else is the text of an example. */
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
};
const TEXT = 'text/plain; charset=utf-8';

/**
 * `/guide/`: the files of the built guide, readable without a key. Each is read at its first request and served from memory.
 * @param folder of the built guide; an instance that runs from source may have none, and says so
 */
export function guideRoutes(folder: string): RequestHandler {
  const files = findFiles(folder);
  const serve = (path: string): RequestHandler | undefined => files.get(path === '/' ? '/index.html' : path);
  return Router({ strict: true })
    .get('/guide', (_req, res) => res.redirect(308, '/guide/'))
    .use('/guide/', (req, res, next) => {
      // Express takes the slash at the end of the mount away from the path.
      const file = isRead(req) ? serve(req.path) : undefined;
      if (file === undefined) {
        next();
        return;
      }
      res.set('Content-Security-Policy', POLICY);
      return file(req, res, next);
    });
}

function findFiles(folder: string): Map<string, RequestHandler> {
  if (!existsSync(folder)) return new Map([['/index.html', compressedAsset(TYPES['.html']!, unbuiltPage)]]);
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    found.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const type = TYPES[extname(entry.name)] ?? TEXT;
      return [path.slice(folder.length).replaceAll(sep, '/'), compressedAsset(type, () => readFile(path))];
    }),
  );
}

const unbuiltPage = (): string =>
  page(
    'Burnish guide',
    '/docs/style.css',
    html`<body>
      <main>
        <h1>The guide has not been built</h1>
        <p>Run <code>npm run build</code>, then start Burnish with <code>npm start</code>.</p>
        <p>The <a href="/docs">API documentation</a> is available.</p>
      </main>
    </body>`,
  );
