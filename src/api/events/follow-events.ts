import { setTimeout as delay } from 'node:timers/promises';
import type { EventKind } from '@burnish/contract';
import type { EventWriter } from './event-writer.ts';
import type { EventLog } from '../../database/webhooks/event-log.ts';

/** Pause in milliseconds before a stream looks for further events. */
const LOOK_AGAIN_MS = 500;

export interface FollowedEvents {
  accountId: string;
  /** Position of the last event that the reader has */
  after: number;
  kinds: readonly EventKind[];
  /** The stream ends after the events that are stored already */
  untilNow: boolean;
  /** Aborted when the gateway closes or the reader loses access */
  closing: AbortSignal;
}

/**
 * Sends the events of an account after a position, in order, until the reader leaves. It reads a page and waits until the
 * reader has taken it, so a slow reader holds one page.
 */
export async function followEvents(
  { eventLog }: { eventLog: EventLog },
  writer: EventWriter,
  { accountId, after, kinds, untilNow, closing }: FollowedEvents,
): Promise<void> {
  const stopped = AbortSignal.any([writer.closed, closing]);
  const wanted = new Set<string>(kinds);
  let position = after;
  try {
    await writer.send({ id: position, event: 'open', data: {} });
    while (!stopped.aborted) {
      const page = await eventLog.read(accountId, position);
      for (const { position: at, ...event } of page) {
        if (stopped.aborted) return;
        if (wanted.has(event.event)) await writer.send({ id: at, event: 'event', data: event });
        position = at;
      }
      if (page.length === 0 && untilNow) return;
      if (page.length === 0) await delay(LOOK_AGAIN_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  } finally {
    writer.end();
  }
}
