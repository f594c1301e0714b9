import type { RequestHandler } from 'express';
import { sendProblem, toFailure } from '../http/problem.ts';
import { contextOf } from '../http/request-context.ts';
import { namingTrouble, Unavailable, type Part } from './unavailable.ts';

/** Counts the accepted connections of a server, to estimate the waiting ones. */
export interface AcceptQueue {
  /** The server calls it for each accepted connection. */
  taken(): void;
  /** Connections accepted since the last turn of the event loop without one; while it grows, more of them wait. */
  inARow(): number;
}

/**
 * Estimates the accept queue, since the kernel does not report its length. A server accepts only some connections in
 * each turn of its event loop, so a turn without any means that the queue was empty.
 */
export function createAcceptQueue(): AcceptQueue {
  let inARow = 0;
  let before = 0;
  let isCounting = false;

  function afterTurn(): void {
    isCounting = inARow > before;
    before = inARow = isCounting ? inARow : 0;
    if (isCounting) setImmediate(afterTurn);
  }

  return {
    taken() {
      inARow += 1;
      if (isCounting) return;
      isCounting = true;
      setImmediate(afterTurn);
    },
    inARow: () => inARow,
  };
}

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
/**
 * Multiple of the concurrent uploads at which consecutive connections count as a flood: most of them are refused
 * anyway.
 */
const FLOOD = 2;
/** Maximum number of concurrent uploads during a flood */
const FEW = 8;
/** Interval in milliseconds in which one request checks whether an unavailable part is back. */
const TRY_AGAIN_MS = 2_000;

/**
 * Limits concurrent uploads. Beyond the limit, and while a part is known to be unavailable, a request is refused
 * within the maximum wait, regardless of its body. During a flood of connections the limit is lower, since accepted
 * uploads delay all other responses. Each finished upload raises it again.
 * @param now milliseconds of a monotonic clock
 */
export function createAdmission(
  { uploadsAtOnce, placeWaitMs }: AdmissionLimits,
  acceptQueue: Pick<AcceptQueue, 'inARow'> = { inARow: () => 0 },
  now: () => number = () => performance.now(),
): Admission {
  const waiting = new Set<() => void>();
  let taken = 0;
  let bound = uploadsAtOnce;
  let inARow = 0;
  let trouble: { part: Part; until: number; trying: boolean } | undefined;

  async function enter(): Promise<Leave> {
    let isTry = false;
    if (trouble !== undefined) {
      if (trouble.trying || now() < trouble.until) throw new Unavailable(trouble.part);
      isTry = trouble.trying = true;
    }
    try {
      if (acceptQueue.inARow() > FLOOD * uploadsAtOnce) bound = Math.min(FEW, uploadsAtOnce);
      if (taken >= bound) await untilFree();
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
      bound = Math.min(bound + 1, uploadsAtOnce);
      for (const begin of [...waiting].slice(0, Math.max(0, bound - taken))) begin();
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
      contextOf(res).leavePlace = leave;
      res.once('close', () => leave(contextOf(res).failure));
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
