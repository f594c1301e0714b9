import type { CookieOptions, Request } from 'express';
import { SESSION_MS } from '../../database/accounts/sessions.ts';
import { headerOf } from '../http/request-context.ts';

/** Longer input is no token of ours and is not worth hashing. */
const TOKEN = /^[\w-]{20,100}$/;

export interface SessionCookie {
  name: string;
  options: CookieOptions;
  /** The token that a request brought, if it looks like one */
  read(req: Request): string | undefined;
}

/**
 * The cookie of a session: no script can read it, no other site can send it. Under https no plain connection can send or set it.
 * @param publicUrl where callers reach the gateway
 */
export function sessionCookie(publicUrl: string): SessionCookie {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-burnish' : 'burnish_session';
  return {
    name,
    options: { httpOnly: true, sameSite: 'strict', secure, path: '/', maxAge: SESSION_MS },
    read(req) {
      for (const part of (headerOf(req, 'cookie') ?? '').split(';')) {
        const [key, value = ''] = part.trim().split('=', 2);
        if (key === name && TOKEN.test(value)) return value;
      }
      return undefined;
    },
  };
}
