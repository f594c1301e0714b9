import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { counted } from '../../domain/counted.ts';
import { requestsPerMinuteOf } from '../../domain/accounts/account.ts';
import { Failure } from '../../domain/failures.ts';
import type { GatewayLimits } from '../deps.ts';
import { callerOf } from './request-context.ts';

const WINDOW_MS = 60_000;

/**
 * Bounds the requests of one account, as its plan or the operator says, however many keys it has. Every answer carries
 * `RateLimit-Policy` and `RateLimit` (draft 8 of the IETF); a refusal carries `Retry-After` too.
 * @param limits a number that holds in place of those of plans
 */
export function limitPerAccount({ requestsPerAccount }: Pick<GatewayLimits, 'requestsPerAccount'>): RequestHandler {
  const limitOf = (_req: Request, res: Response): number => {
    const { account, plan } = callerOf(res);
    return requestsPerAccount ?? requestsPerMinuteOf(account, plan);
  };
  return limiter(limitOf, (_req, res) => callerOf(res).account.id, 'account');
}

/** Bounds the requests of the operator. */
export function limitOperator({ operatorRequests }: Pick<GatewayLimits, 'operatorRequests'>): RequestHandler {
  return limiter(
    () => operatorRequests,
    () => 'operator',
    'operator',
  );
}

/** Bounds guessing: runs on requests that failed to authenticate only, and counts them by address. */
export function limitFailedAuthentications({
  failedAuthentications,
}: Pick<GatewayLimits, 'failedAuthentications'>): RequestHandler {
  return limiter(
    () => failedAuthentications,
    (req) => ipKeyGenerator(req.ip ?? ''),
  );
}

/** Bounds attempts to sign in, by address, whether they succeed or not. */
export function limitSignIns({ signIns }: Pick<GatewayLimits, 'signIns'>): RequestHandler {
  return limiter(
    () => signIns,
    (req) => ipKeyGenerator(req.ip ?? ''),
  );
}

type KeyOf = (req: Request, res: Response) => string;

/** @param policy name of the limit in the headers of answers; without it, answers say nothing of the limit */
function limiter(limit: (req: Request, res: Response) => number, keyGenerator: KeyOf, policy?: string): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: policy === undefined ? false : 'draft-8',
    ...(policy === undefined ? {} : { identifier: policy }),
    legacyHeaders: false,
    keyGenerator,
    validate: false,
    handler: (req, res, next) => {
      const { resetTime } = (req as Request & { rateLimit?: { resetTime?: Date } }).rateLimit ?? {};
      const waitMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
      next(
        new Failure('RATE_LIMITED', {
          detail: `At most ${counted(limit(req, res), 'request')} a minute; try again later.`,
          retryAfterSeconds,
        }),
      );
    },
  });
}
