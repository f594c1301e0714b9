import type { RequestHandler } from 'express';
import { sendProblem, toFailure } from '../http/problem.ts';
import { contextOf } from '../http/request-context.ts';
import { namingTrouble, Unavailable, type Part } from './unavailable.ts';

/** The connections that a server takes, as far as they tell of more that wait. */
export interface AcceptQueue {
  /** The server calls it for each connection. */
  taken(): void;
  /** Connections taken since the last turn of the event loop that took none; while it grows, more of them wait. */
  inARow(): number;
}

/**
 * The kernel does not tell how many connections wait. A server takes only some in each turn of its event loop, so the queue was
 * empty when a turn takes none.
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
  /** Uploads that the gateway takes in at once */
  uploadsAtOnce: number;
  /** How long one waits for its place, milliseconds */
  placeWaitMs: number;
}

/** Ends a place. @param failure that the work ended with */
type Leave = (failure?: unknown) => void;

export interface Admission {
  /** Takes a place before anything of a request is read, and keeps it until the request has its answer. */
  door: RequestHandler;
  /** The same for work that is no request of its own. @throws Failure UNAVAILABLE */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** One for all, since there may be thousands: to note where each was made takes longer than to send it. */
const FULL = new Unavailable('gateway');
/** One request may meet a moment's trouble; after so many in a row a part counts as away. */
const AWAY_AFTER = 3;
/** This many times more connections in a row than uploads at once are a flood: most of them are refused anyway. */
const FLOOD = 2;
/** Uploads that are taken in at once during a flood */
const FEW = 8;
/** After a part was found away, one request in this time finds out whether it is back, milliseconds. */
const TRY_AGAIN_MS = 2_000;

/**
 * Bounds the uploads that are taken in at once. Beyond the bound, and while a part is known to be away, a request is refused
 * within the time of a wait for a place, whatever its body is like. During a flood of connections the bound falls, since the work of
 * accepted uploads delays the answers to all others; it rises again with each upload that is done.
 * @param now milliseconds of a clock that is never set back
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

  /** Takes the place before it returns, so that no two are let in for one. */
  function untilFree(): Promise<void> {
    // More than this would not have their turn in time.
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
        // Answered here, before any further middleware. The log line of the request has the status.
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
