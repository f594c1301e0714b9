import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Nothing of ours loads anything from elsewhere, runs inline code, or stands in a frame. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // The operator decides whether the gateway is behind TLS.
    strictTransportSecurity: false,
  });
}
