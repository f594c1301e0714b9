import type { WebhookListener } from '../../database/webhooks/webhook-listeners.ts';
import { signWebhook } from '../../domain/events/sign-webhook.ts';
import { createNotifier } from '../events/notifier.ts';
import type { EventWriter } from '../events/event-writer.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Maximum number of deliveries that are sent and not yet answered. With 15 seconds each, the last one reaches its receiver
 * before its timestamp is 5 minutes old, which receivers refuse.
 */
const WINDOW = 10;
/** A delivery that a later commit pushed out of the window is remembered, so that it is not sent twice. */
const MAX_REMEMBERED = 1_000;
/** Interval at which a stream renews the contact of its listener, milliseconds. */
const TOUCH_MS = 600_000;

/**
 * Sends the waiting deliveries of a listener in the order of their events, each once, until the listener is deleted or
 * another stream replaces this one.
 * @param stream id of this stream, which is attached to the listener
 * @param closing aborted when the gateway closes or the reader loses access
 */
export async function streamDeliveries(
  deps: Gateway,
  writer: EventWriter,
  { listener, stream, closing }: { listener: WebhookListener; stream: string; closing: AbortSignal },
): Promise<void> {
  const { webhookListeners: listeners, fanout, now } = deps;
  const stopped = AbortSignal.any([writer.closed, closing]);
  const notifier = createNotifier(stopped);
  const unsubscribe = fanout.subscribe(listener.id, notifier.notify);
  const sent = new Set<string>();
  let touchedAt = now();
  try {
    const secret = await listeners.secret(listener);
    while (!stopped.aborted) {
      notifier.reset();
      const waiting = await listeners.waiting(listener.id, stream, WINDOW);
      if (typeof waiting === 'string') {
        await writer.send({ event: 'end', data: { reason: waiting } });
        return;
      }
      for (const { id, event } of waiting) {
        if (sent.has(id) || stopped.aborted) continue;
        remember(id);
        await writer.send({ event: 'delivery', data: { id, ...signWebhook(event, new Date(now()), [secret]) } });
      }
      if (now() - touchedAt >= TOUCH_MS) {
        touchedAt = now();
        await listeners.touch(listener.id, stream);
      }
      await notifier.notified();
    }
  } finally {
    unsubscribe();
    writer.end();
  }
  await listeners.touch(listener.id, stream);

  function remember(id: string): void {
    sent.add(id);
    if (sent.size > MAX_REMEMBERED) sent.delete(sent.values().next().value!);
  }
}
