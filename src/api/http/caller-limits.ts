import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { counted, Failure } from '@burnish/contract';
import { effectiveRequestsPerMinute } from '../../domain/accounts/account-limits.ts';
import { getCaller } from './request-context.ts';

/** Limits of requests a minute. */
export interface CallerLimits {
  /** Of one account; null: the limit of its plan */
  requestsPerAccount: number | null;
  /** With the operator's key */
  operatorRequests: number;
  /** From one address that fail to authenticate */
  failedAuthentications: number;
  /** Sign-ins with one key, and failed ones from one address */
  signIns: number;
}

const WINDOW_MS = 60_000;

/**
 * Limits the requests of one account over all its keys, by its plan or by the operator's setting. Every response
 * carries `RateLimit-Policy` and `RateLimit` (draft 8 of the IETF); a refusal carries `Retry-After` too.
 * @param limits a number that overrides those of plans
 */
export function limitPerAccount({ requestsPerAccount }: Pick<CallerLimits, 'requestsPerAccount'>): RequestHandler {
  const findLimit = (_req: Request, res: Response): number => {
    const { account, plan } = getCaller(res);
    return requestsPerAccount ?? effectiveRequestsPerMinute(account, plan);
  };
  return limiter(findLimit, (_req, res) => getCaller(res).account.id, 'account');
}

export function limitOperator({ operatorRequests }: Pick<CallerLimits, 'operatorRequests'>): RequestHandler {
  return limiter(
    () => operatorRequests,
    () => 'operator',
    'operator',
  );
}

/** Limits guessing: runs only on requests that failed to authenticate, and counts them by address. */
export function limitFailedAuthentications({
  failedAuthentications,
}: Pick<CallerLimits, 'failedAuthentications'>): RequestHandler {
  return limiter(
    () => failedAuthentications,
    (req) => ipKeyGenerator(req.ip ?? ''),
  );
}

/**
 * Counts an attempt to sign in: one with a valid key by that key, and any other by its address. Failures of others at the same
 * address therefore keep nobody with a valid key out.
 * @throws Failure RATE_LIMITED
 */
export type CountSignIn = (req: Request, res: Response, keyId?: string) => Promise<void>;

export function limitSignIns({ signIns }: Pick<CallerLimits, 'signIns'>): CountSignIn {
  const createLimit = (keyOf: KeyOf): RequestHandler => limiter(() => signIns, keyOf);
  const failures = createLimit((req) => ipKeyGenerator(req.ip ?? ''));
  const successes = createLimit((_req, res) => res.locals['signedInKey'] as string);
  return (req, res, keyId) =>
    new Promise((resolve, reject) => {
      res.locals['signedInKey'] = keyId;
      const limit = keyId === undefined ? failures : successes;
      void limit(req, res, (refusal?: unknown) => (refusal instanceof Error ? reject(refusal) : resolve()));
    });
}

type KeyOf = (req: Request, res: Response) => string;

/** @param policy name of the limit in response headers; without it, responses do not mention the limit */
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
          detail: `At most ${counted(limit(req, res), 'request')} per minute. Try again later.`,
          retryAfterSeconds,
        }),
      );
    },
  });
}
