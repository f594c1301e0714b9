import type { RequestHandler } from 'express';
import { Failure } from '@burnish/contract';

/** A name, an IPv4 address or an IPv6 address in brackets, then a port. An empty one is valid (RFC 9112, section 3.2). */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i;

/**
 * Refuses a request with several `Host` headers or one that names no host, which a proxy may read as another one than this
 * process. Node.js drops all but the first, and refuses a request without one itself.
 */
export const oneHost: RequestHandler = (req, _res, next) => {
  const { rawHeaders } = req;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') hosts += 1;
  if (hosts < 2 && HOST.test(req.headers.host ?? '')) next();
  else
    next(
      new Failure('BAD_USER_INPUT', {
        detail: 'The request has no Host header, or several. Send one, with the name of the server.',
      }),
    );
};
