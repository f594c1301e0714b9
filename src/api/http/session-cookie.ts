import type { CookieOptions, Request } from 'express';
import { SESSION_MS } from '../../database/accounts/sessions.ts';
import { readHeader } from './request-context.ts';

/** Longer input is never a valid token and is not hashed. */
const TOKEN = /^[\w-]{20,100}$/;

export interface SessionCookie {
  name: string;
  options: CookieOptions;
  /** The token of a request, if it is well-formed */
  read(req: Request): string | undefined;
}

/**
 * The cookie of a session: scripts cannot read it, and other sites cannot send it. With https, plain connections can
 * neither send nor set it.
 * @param publicUrl base URL of the gateway for callers
 */
export function sessionCookie(publicUrl: string): SessionCookie {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-burnish' : 'burnish_session';
  return {
    name,
    options: { httpOnly: true, sameSite: 'strict', secure, path: '/', maxAge: SESSION_MS },
    read(req) {
      for (const part of (readHeader(req, 'cookie') ?? '').split(';')) {
        const [key, value = ''] = part.trim().split('=', 2);
        if (key === name && TOKEN.test(value)) return value;
      }
      return undefined;
    },
  };
}
