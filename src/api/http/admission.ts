import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '@burnish/contract';
import { sendProblem, toFailure } from './problem.ts';
import { getCaller, getContext } from './request-context.ts';
import { createCircuit, type Circuit } from '../trouble/circuit.ts';
import { createPermits, type PermitLimits } from '../trouble/permits.ts';
import { namingTrouble } from '../trouble/unavailable.ts';

export interface Admission {
  /**
   * Runs before authentication: refuses an upload while a part is known to be unavailable, and acquires no permit. Counts
   * requests that fail before they have one.
   */
  check: RequestHandler;
  /** Runs after authentication, before any of the body is read: acquires a permit for the caller, until the response. */
  requirePermit: RequestHandler;
  /** The same as `requirePermit`, for an account that the request proves otherwise. @throws Failure UNAVAILABLE */
  admit(accountId: string, res: Response): Promise<void>;
  /** Acquires a permit for work other than a whole request. @throws Failure UNAVAILABLE */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T>;
  /** The part that recent uploads failed at, if uploads are refused */
  away: Circuit['away'];
}

/** The outcome of a request whose client left: neither a success nor a failure of a part. */
const LEFT = new Failure('REQUEST_TIMEOUT');

/**
 * Limits concurrent uploads by account. Beyond the limit, and while a part is known to be unavailable, a request is
 * refused within the maximum wait, regardless of its body.
 * @param now milliseconds of a monotonic clock
 */
export function createAdmission(limits: PermitLimits, now: () => number = () => performance.now()): Admission {
  const circuit = createCircuit(now);
  const permits = createPermits(limits);

  async function admit(accountId: string, res: Response): Promise<void> {
    const context = getContext(res);
    circuit.pass(accountId);
    const release = await permits.acquire(accountId, context.arriving);
    if (res.closed || res.headersSent) {
      release();
      throw LEFT;
    }
    let isHeld = true;
    context.releasePermit = (outcome) => {
      if (!isHeld) return;
      isHeld = false;
      release();
      circuit.report(outcome);
    };
    res.once('close', () => context.releasePermit?.(context.failure ?? (res.writableFinished ? undefined : LEFT)));
  }

  /** Responds before any further middleware. The log line of the request has the status: there may be thousands. */
  function refuse(req: Request, res: Response, error: unknown): void {
    if (!res.closed && !res.headersSent) sendProblem(req, res, toFailure(error));
  }

  return {
    check(req, res, next) {
      try {
        circuit.assertMayCheck();
      } catch (error) {
        refuse(req, res, error);
        return;
      }
      const context = getContext(res);
      res.once('close', () => {
        if (context.releasePermit === undefined && context.failure !== undefined) circuit.report(context.failure);
      });
      next();
    },
    async requirePermit(req, res, next) {
      try {
        await admit(getCaller(res).account.id, res);
      } catch (error) {
        refuse(req, res, error);
        return;
      }
      next();
    },
    admit,
    async run(accountId, work) {
      circuit.pass(accountId);
      const release = await permits.acquire(accountId);
      try {
        const result = await work();
        circuit.report(undefined);
        return result;
      } catch (error) {
        circuit.report(namingTrouble(error));
        throw error;
      } finally {
        release();
      }
    },
    away: circuit.away,
  };
}
