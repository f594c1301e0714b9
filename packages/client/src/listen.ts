import type { DeliveryAttempt } from '../../../src/domain/events/delivery.ts';
import type { Subscription } from '../../../src/domain/events/events.ts';
import { BurnishError } from './burnish-error.ts';
import { readMessages } from './event-stream.ts';
import { pauseAfter, pauseBefore, sleep, type Transport } from './transport.ts';
import type { WebhookListenerWithSecret } from './types.ts';
import type { WebhookEvent } from './verify-webhook.ts';

export interface ListenOptions {
  /** Listeners with the same name share their events, one after the other. Default `client` */
  name?: string;
  /** Default: all */
  events?: Subscription[];
  /** ISO 8601: skips the events that wait, and sends the stored events since this time again */
  since?: string;
  /** Ends the listening after the answer to the present delivery */
  signal?: AbortSignal;
  /** The service records events for this listener from now on. Called again if it was away for too long */
  onOpen?: (listener: WebhookListenerWithSecret) => void;
  /** The service does not answer, and is asked again. Called once until the stream is open again */
  onDisconnect?: () => void;
}

/** The request that a registered endpoint would get. */
export interface ListenedDelivery {
  /** Id of the delivery, `dlv_…` */
  id: string;
  event: WebhookEvent;
  /** With the signature of Standard Webhooks */
  headers: Record<string, string>;
  /** JSON of the event, byte for byte as it is signed */
  body: string;
}

/** What a receiver answered. `httpStatus` is null without an answer; `answer` is its beginning, or the reason. */
export type ReceiverAnswer = Pick<DeliveryAttempt, 'httpStatus' | 'latencyMs' | 'answer'>;

/** Answered with 204 if it returns nothing, and as failed if it throws. */
export type Receive = (delivery: ListenedDelivery) => Promise<ReceiverAnswer | void> | ReceiverAnswer | void;

/** Deliveries whose answers may have crossed with a new stream. */
const MAX_REMEMBERED = 1_000;
const MAX_ANSWER_CHARACTERS = 1_000;
/** Milliseconds for the last answer after an abort. */
const LAST_ANSWER_MS = 5_000;

/**
 * Hands over the events of the account one after the other, in the order of their creation, until the signal is aborted. It
 * continues after lost connections and restarts of the instance, and drops deliveries that it has handled.
 * @throws BurnishError for a refusal, for an instance that cannot be reached at first, and CANCELLED if another program
 * takes the name or the listener is deleted; the reason of an aborted signal
 */
export async function listen(transport: Transport, options: ListenOptions, receive: Receive): Promise<never> {
  const { name = 'client', events, signal, onOpen, onDisconnect } = options;
  const handled = new Set<string>();
  let { since } = options;
  let path = '';
  let isLost = false;
  const lose = (): void => {
    if (!isLost) onDisconnect?.();
    isLost = true;
  };

  for (let openings = 0; ; openings += 1) {
    const json = { name, ...(events && { events }), ...(since !== undefined && { since }) };
    const open = () => transport.json<WebhookListenerWithSecret>('POST', '/v1/webhook-listeners', { json, signal });
    const listener = openings === 0 ? await open() : await persist(open);
    since = undefined;
    path = `/v1/webhook-listeners/${encodeURIComponent(listener.id)}`;
    onOpen?.(listener);
    await receiveAll();
  }

  /** Returns when the service has forgotten the listener. */
  async function receiveAll(): Promise<void> {
    for (let barren = 0; ; barren += 1) {
      const stream = await openStream();
      if (stream === undefined) return;
      isLost = false;
      const messages = readMessages(stream, signal);
      try {
        for (;;) {
          const { value: message } = await messages.next().catch(() => ({ value: undefined }));
          if (message === undefined) break;
          barren = 0;
          if (message.event === 'end') throw ended((JSON.parse(message.data) as { reason: string }).reason, name);
          if (message.event === 'delivery') await handle(message.data);
          signal?.throwIfAborted();
        }
      } finally {
        // Otherwise its watch for silence keeps the process alive.
        await messages.return();
      }
      signal?.throwIfAborted();
      lose();
      await sleep(pauseAfter(barren), signal);
    }
  }

  function openStream(): Promise<Response | undefined> {
    const headers = { accept: 'text/event-stream' };
    return unlessGone(() => persist(() => transport.send('GET', `${path}/deliveries`, { headers, signal })));
  }

  async function handle(data: string): Promise<void> {
    const { id, headers, body } = JSON.parse(data) as Omit<ListenedDelivery, 'event'>;
    if (handled.has(id)) return;
    handled.add(id);
    if (handled.size > MAX_REMEMBERED) handled.delete(handled.values().next().value!);
    const answer = await ask({ id, headers, body, event: JSON.parse(body) as WebhookEvent });
    const json = { deliveryId: id, ...answer };
    await unlessGone(() =>
      persist(() =>
        transport.json('POST', `${path}/answers`, {
          json,
          ...(signal?.aborted === true && { signal: AbortSignal.timeout(LAST_ANSWER_MS) }),
        }),
      ),
    );
  }

  async function ask(delivery: ListenedDelivery): Promise<ReceiverAnswer> {
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
    try {
      const answer = await receive(delivery);
      if (answer === undefined) return { httpStatus: 204, latencyMs: elapsed(), answer: '' };
      return { ...answer, answer: answer.answer.slice(0, MAX_ANSWER_CHARACTERS) };
    } catch (error) {
      return { httpStatus: null, latencyMs: elapsed(), answer: String(error).slice(0, MAX_ANSWER_CHARACTERS) };
    }
  }

  /** Repeats a call for as long as a repetition can help. */
  async function persist<Value>(call: () => Promise<Value>): Promise<Value> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await call();
      } catch (error) {
        const pause = error instanceof BurnishError ? pauseBefore(retries, error) : undefined;
        if (pause === undefined || signal?.aborted === true) throw error;
        lose();
        await sleep(pause, signal);
      }
    }
  }
}

/** Undefined where the service knows no such listener or delivery any more. */
async function unlessGone<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof BurnishError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function ended(reason: string, name: string): BurnishError {
  const sentence =
    reason === 'replaced'
      ? `Another program listens as ${name} now. Choose another name to receive the events in both.`
      : `The listener ${name} is deleted. Listen again to create it.`;
  return new BurnishError(sentence, { code: 'CANCELLED' });
}
