import type { RequestHandler } from 'express';
import { sendProblem, toFailure } from '../http/problem.ts';
import { getContext } from '../http/request-context.ts';
import { namingTrouble, Unavailable, type Part } from './unavailable.ts';

export interface AdmissionLimits {
  /** Maximum number of concurrent uploads */
  uploadsAtOnce: number;
  /** Maximum time that a request waits for admission, in milliseconds */
  placeWaitMs: number;
}

/** Releases an admission. @param failure of the work */
type Leave = (failure?: unknown) => void;

export interface Admission {
  /** Admits a request before any of it is read, and releases the admission after its response. */
  door: RequestHandler;
  /** The same for work other than a whole request. @throws Failure UNAVAILABLE */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** One shared error, since there may be thousands: capturing a stack takes longer than the response. */
const FULL = new Unavailable('gateway');
/** Number of consecutive failures after which a part counts as unavailable; a single request may fail by chance. */
const AWAY_AFTER = 3;
/** Interval in milliseconds in which one request checks whether an unavailable part is back. */
const TRY_AGAIN_MS = 2_000;

/**
 * Limits concurrent uploads. Beyond the limit, and while a part is known to be unavailable, a request is refused
 * within the maximum wait, regardless of its body.
 * @param now milliseconds of a monotonic clock
 */
export function createAdmission(
  { uploadsAtOnce, placeWaitMs }: AdmissionLimits,
  now: () => number = () => performance.now(),
): Admission {
  const waiting = new Set<() => void>();
  let taken = 0;
  let inARow = 0;
  let trouble: { part: Part; until: number; trying: boolean } | undefined;

  async function enter(): Promise<Leave> {
    let isTry = false;
    if (trouble !== undefined) {
      if (trouble.trying || now() < trouble.until) throw new Unavailable(trouble.part);
      isTry = trouble.trying = true;
    }
    try {
      if (taken >= uploadsAtOnce) await untilFree();
      else taken += 1;
    } catch (error) {
      if (isTry && trouble !== undefined) trouble.trying = false;
      throw error;
    }
    let left = false;
    return (failure) => {
      if (left) return;
      left = true;
      taken -= 1;
      const [begin] = waiting;
      begin?.();
      const part = failure instanceof Unavailable ? failure.part : 'gateway';
      if (part === 'gateway') {
        inARow = 0;
        if (isTry) trouble = undefined;
      } else if ((inARow += 1) >= AWAY_AFTER) {
        trouble = { part, until: now() + TRY_AGAIN_MS, trying: false };
      }
    };
  }

  /** Reserves the place before it returns, so that two requests never share one. */
  function untilFree(): Promise<void> {
    // Further requests would not get their turn in time.
    if (waiting.size >= uploadsAtOnce) throw FULL;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(FULL);
      }, placeWaitMs);
      function begin(): void {
        clearTimeout(timer);
        waiting.delete(begin);
        taken += 1;
        resolve();
      }
      waiting.add(begin);
    });
  }

  return {
    async door(req, res, next) {
      let leave: Leave;
      try {
        leave = await enter();
      } catch (error) {
        // Responds here, before any further middleware. The log line of the request has the status.
        sendProblem(req, res, toFailure(error));
        return;
      }
      if (res.closed) {
        leave();
        return;
      }
      getContext(res).leavePlace = leave;
      res.once('close', () => leave(getContext(res).failure));
      next();
    },
    async run(work) {
      const leave = await enter();
      let failure: unknown;
      try {
        return await work();
      } catch (error) {
        failure = namingTrouble(error);
        throw error;
      } finally {
        leave(failure);
      }
    },
  };
}
