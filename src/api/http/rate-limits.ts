import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import type { GatewayLimits } from '../deps.ts';
import { callerOf } from './request-context.ts';

const WINDOW_MS = 60_000;

/** Bounds the requests of one key; `RateLimit-*` on every answer, `Retry-After` on a refusal. */
export function limitPerKey({ requestsPerKey }: Pick<GatewayLimits, 'requestsPerKey'>): RequestHandler {
  return limiter(requestsPerKey, 'draft-6', (_req, res) => callerOf(res).keyId);
}

/** Bounds guessing: runs on requests that failed to authenticate only, and counts them by address. */
export function limitFailedAuthentications({
  failedAuthentications,
}: Pick<GatewayLimits, 'failedAuthentications'>): RequestHandler {
  return limiter(failedAuthentications, false, (req) => ipKeyGenerator(req.ip ?? ''));
}

/** Bounds attempts to sign in, by address, whether they succeed or not. */
export function limitSignIns({ signIns }: Pick<GatewayLimits, 'signIns'>): RequestHandler {
  return limiter(signIns, false, (req) => ipKeyGenerator(req.ip ?? ''));
}

type KeyOf = (req: Request, res: Response) => string;

function limiter(limit: number, standardHeaders: 'draft-6' | false, keyGenerator: KeyOf): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders,
    legacyHeaders: false,
    keyGenerator,
    validate: false,
    handler: (req, _res, next) => {
      const { resetTime } = (req as Request & { rateLimit?: { resetTime?: Date } }).rateLimit ?? {};
      const waitMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
      next(
        new Failure('RATE_LIMITED', {
          detail: `At most ${counted(limit, 'request')} a minute; try again later.`,
          retryAfterSeconds,
        }),
      );
    },
  });
}
