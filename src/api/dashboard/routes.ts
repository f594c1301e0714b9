import type { Request, RequestHandler, Response } from 'express';
import { readAssets } from './assets.ts';
import type { Asset } from './assets.ts';
import { isClientPath } from './client-paths.ts';
import { contentSecurityPolicy } from './policy.ts';
import { UNBUILT_PAGE } from './unbuilt-page.ts';

export interface DashboardDeps {
  /** Folder of the built dashboard */
  dashboardFolder: string;
  /** Origins that signed addresses of uploads lead to, besides the gateway's own */
  uploadOrigins?: readonly string[];
}

/**
 * The dashboard: its page at every address of its own, and what the page loads. What it is not asked for goes on.
 * @param isDescribed whether the interface has a path too: there only browsers get the page, which name `text/html`
 */
export function dashboardPages(
  { dashboardFolder, uploadOrigins = [] }: DashboardDeps,
  isDescribed: (path: string) => boolean,
): RequestHandler {
  const assets = readAssets(dashboardFolder);
  const policy = contentSecurityPolicy(uploadOrigins);
  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      next();
      return;
    }
    const hashed = assets?.hashed.get(req.path);
    if (hashed !== undefined) {
      send(req, res, hashed, 'public, max-age=31536000, immutable');
    } else if (isClientPath(req.path) && (namesHtml(req) || !isDescribed(req.path))) {
      res.set('Content-Security-Policy', policy);
      send(req, res, assets?.page ?? UNBUILT_PAGE, 'no-store');
    } else {
      next();
    }
  };
}

const namesHtml = (req: Request): boolean => req.get('accept')?.includes('text/html') === true;

function send(req: Request, res: Response, { contentType, bodies }: Asset, cacheControl: string): void {
  // The smallest that the client takes, whatever order it names them in.
  const chosen = (['br', 'gzip'] as const).find(
    (encoding) => bodies[encoding] !== undefined && req.acceptsEncodings(encoding) === encoding,
  );
  const body = bodies[chosen ?? 'identity'] ?? bodies.identity;
  res.set({
    'Content-Type': contentType,
    'Content-Length': String(body.byteLength),
    'Cache-Control': cacheControl,
    Vary: 'Accept-Encoding',
  });
  if (chosen !== undefined) res.set('Content-Encoding', chosen);
  res.end(req.method === 'HEAD' ? undefined : body);
}
