import type { Request, RequestHandler, Response } from 'express';
import { isRead } from '../http/request-context.ts';
import { readAssets, UNBUILT_PAGE, type Asset } from './assets.ts';

export interface DashboardDeps {
  /** Folder of the built dashboard */
  dashboardFolder: string;
}

/** URLs of the dashboard's pages. Each returns the same page, which shows the right view in the browser. */
const CLIENT_PATHS =
  /^\/(|uploads|uploads\/[^/]+|batches|batches\/[^/]+|looks|keys|webhooks|credits|audit|settings|accounts(\/[^/]+)?|usage|queue|sign-in)\/?$/;

/**
 * The dashboard: its page at each of its URLs, and the files that the page loads. Other requests continue to the
 * next handler. A browser at an unknown URL gets the page too, with status 404.
 * @param isDescribed whether the REST interface has the path too: such a path returns the page only to requests for
 * `text/html`
 */
export function dashboardPages(
  { dashboardFolder }: DashboardDeps,
  isDescribed: (path: string) => boolean,
): { pages: RequestHandler; unknownPages: RequestHandler } {
  const assets = readAssets(dashboardFolder);
  const sendPage = (req: Request, res: Response): void => {
    res.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
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
  // The smallest encoding that the client accepts, regardless of its order in the header.
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
 * The content security policy of the dashboard's page. It allows the page's own script and style, images of the page
 * and the gateway, and requests to the gateway. It forbids inline code, other origins, text as markup, and frames
 * around the page.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
