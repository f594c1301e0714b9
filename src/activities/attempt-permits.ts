import { ATTEMPTS_AT_ONCE, type DeliveryAttempt } from '../domain/events/delivery.ts';
import { DELIVERY_TIMEOUT_MS } from '../domain/temporal/timeouts.ts';
import { createSharedPermits, type Deferred } from './shared-permits.ts';

/** Maximum wait for a permit, milliseconds. The receiver may answer again meanwhile. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** An attempt without an answer for this long ended by its timeout, milliseconds; timers may be early. */
const SILENT_MS = DELIVERY_TIMEOUT_MS - 100;

/** Receivers that are remembered as silent. The oldest one is forgotten first. */
const REMEMBERED = 1_000;

/** The receiver of an attempt. */
export interface Receiver {
  accountId: string;
  /** Null: the URL of an upload, which its host identifies */
  endpointId: string | null;
  url: string;
}

export interface AttemptPermits {
  /** Makes an attempt with a permit of its receiver and of its account, or reserves a time for it if there is none. */
  hold(receiver: Receiver, attempt: () => Promise<DeliveryAttempt>): Promise<DeliveryAttempt | Deferred>;
}

/** Permits for attempts, so that a receiver that does not answer delays only its own events. */
export function createAttemptPermits(): AttemptPermits {
  const silent = new Set<string>();
  const permits = createSharedPermits<Receiver>({
    sharesOf(receiver) {
      const key = keyOf(receiver);
      const limit = silent.has(key) ? ATTEMPTS_AT_ONCE.ofSilentReceiver : ATTEMPTS_AT_ONCE.ofReceiver;
      return [
        { key, limit },
        { key: receiver.accountId, limit: ATTEMPTS_AT_ONCE.ofAccount },
      ];
    },
    // By then a permit is certain to be free.
    heldMs: () => DELIVERY_TIMEOUT_MS,
    waitMs: { shortest: DELIVERY_TIMEOUT_MS / ATTEMPTS_AT_ONCE.ofReceiver, longest: LONGEST_WAIT_MS },
  });

  function note(receiver: Receiver, { httpStatus, latencyMs }: DeliveryAttempt): void {
    const key = keyOf(receiver);
    silent.delete(key);
    // A refused connection ends at once, and holds no permit.
    if (httpStatus === null && latencyMs >= SILENT_MS) silent.add(key);
    const [oldest] = silent;
    if (silent.size > REMEMBERED && oldest !== undefined) silent.delete(oldest);
  }

  return {
    async hold(receiver, attempt) {
      const made = await permits.hold(receiver, attempt);
      if (!('deferredMs' in made)) note(receiver, made);
      return made;
    },
  };
}

const keyOf = ({ accountId, endpointId, url }: Receiver): string => `${accountId} ${endpointId ?? new URL(url).host}`;
