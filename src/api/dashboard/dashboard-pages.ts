import type { Request, RequestHandler, Response } from 'express';
import { isRead } from '../http/authenticate.ts';
import { readAssets, UNBUILT_PAGE } from './assets.ts';
import type { Asset } from './assets.ts';

export interface DashboardDeps {
  /** Folder of the built dashboard */
  dashboardFolder: string;
  /** Origins that signed addresses of uploads lead to, besides the gateway's own */
  uploadOrigins?: readonly string[];
}

/** Addresses of the dashboard's pages. Each gets the same page, which shows the right view in the browser. */
const CLIENT_PATHS =
  /^\/(|uploads|uploads\/[^/]+|keys|webhooks|credits|audit|settings|accounts|usage|queue|sign-in)\/?$/;

/**
 * The dashboard: its page at each of its addresses, and the files that the page loads. Other requests go on. A browser at an unknown
 * address gets the page too, with status 404.
 * @param isDescribed whether the REST interface has the path too: only requests for `text/html` get the page there
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
      else if (isRead(req) && CLIENT_PATHS.test(req.path) && (namesHtml(req) || !isDescribed(req.path)))
        sendPage(req, res);
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

/**
 * The policy of the dashboard's page: its own script and style, its own pictures and those of the gateway, calls to the gateway.
 * Nothing inline, nothing from elsewhere, no text that becomes markup, and no frame around it.
 *
 * @param uploadOrigins origins of signed addresses of uploads, besides the gateway's own
 */
function contentSecurityPolicy(uploadOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    ["connect-src 'self'", ...uploadOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
