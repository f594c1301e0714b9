import type { Request } from 'express';
import { headerOf } from './request-context.ts';

/** What a refused caller is told of the ways to send a key. */
export const CHALLENGE = 'ApiKey realm="burnish", header="x-api-key", Bearer realm="burnish"';

/** The API key of a request: of `x-api-key`, or else of `Authorization: Bearer`; undefined where it brings none. */
export function apiKeyOf(req: Request): string | undefined {
  const [, token] = /^Bearer +(\S+)$/i.exec(headerOf(req, 'authorization') ?? '') ?? [];
  return headerOf(req, 'x-api-key') ?? token;
}
