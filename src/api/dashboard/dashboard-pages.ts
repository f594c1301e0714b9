import type { Request, RequestHandler, Response } from 'express';
import { isRead } from '../http/authenticate.ts';
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
 * The dashboard: its page at every address of its own, and what the page loads. What it is not asked for goes on. Whoever is lost with
 * a browser gets the page too, which says so, and leads back.
 * @param isDescribed whether the interface has a path too: there only browsers get the page, which name `text/html`
 */
export function dashboardPages(
  { dashboardFolder, uploadOrigins = [] }: DashboardDeps,
  isDescribed: (path: string) => boolean,
): { pages: RequestHandler; unknownPages: RequestHandler } {
  const assets = readAssets(dashboardFolder);
  const policy = contentSecurityPolicy(uploadOrigins);
  const sendPage = (req: Request, res: Response): void => {
    res.set('Content-Security-Policy', policy);
    send(req, res, assets?.page ?? UNBUILT_PAGE, 'no-store');
  };
  return {
    pages(req, res, next) {
      const hashed = isRead(req) ? assets?.hashed.get(req.path) : undefined;
      if (hashed !== undefined) send(req, res, hashed, 'public, max-age=31536000, immutable');
      else if (isRead(req) && isClientPath(req.path) && (namesHtml(req) || !isDescribed(req.path))) sendPage(req, res);
      else next();
    },
    unknownPages(req, res, next) {
      if (isRead(req) && namesHtml(req) && !req.path.startsWith('/v1/')) sendPage(req, res.status(404));
      else next();
    },
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
