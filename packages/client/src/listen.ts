import type { Subscription } from '@burnish/contract';
import { BurnishError } from './burnish-error.ts';
import { readMessages } from './event-stream.ts';
import { pauseAfter, pauseBefore, sleep, type Transport } from './transport.ts';
import type { WebhookEvent } from './verify-webhook.ts';

export interface ListenOptions {
  /** Default: all kinds */
  events?: Subscription[];
  /** Continues after an event, by the position that `receive` got with it */
  after?: number;
  /** ISO 8601: starts with the stored events since this time. Without it and `after`, the next event is the first one */
  since?: string;
  /** Ends the listening after the present event */
  signal?: AbortSignal;
  /** The stream is open, from the position on */
  onOpen?: (position: number) => void;
  /** The service does not answer, and is asked again. Called once until the stream is open again */
  onDisconnect?: () => void;
}

/**
 * Handles an event before the next one arrives. An error that it throws ends the listening.
 * @param position to continue after once the event is handled
 */
export type Receive = (event: WebhookEvent, position: number) => Promise<unknown> | unknown;

/**
 * Hands over the events of the account one after the other, until the signal is aborted. After lost connections and restarts
 * of the instance it continues behind the last event, so that each arrives once.
 * @throws BurnishError for a refusal, and for an instance that cannot be reached at first; the reason of an aborted signal;
 * errors of `receive`
 */
export async function listen(transport: Transport, options: ListenOptions, receive: Receive): Promise<never> {
  const { events, since, signal, onOpen, onDisconnect } = options;
  let position = options.after;
  let isLost = false;
  let failures = 0;

  for (let openings = 0; ; openings += 1) {
    const stream = await open(openings > 0);
    isLost = false;
    await receiveAll(stream);
    signal?.throwIfAborted();
    lose();
    await sleep(pauseAfter(failures++), signal);
  }

  function lose(): void {
    if (!isLost) onDisconnect?.();
    isLost = true;
  }

  /** @param persists whether a service that does not answer is asked again */
  async function open(persists: boolean): Promise<Response> {
    for (let retries = 0; ; retries += 1) {
      const headers = {
        accept: 'text/event-stream',
        ...(position !== undefined && { 'last-event-id': `${position}` }),
      };
      const query = { events: events?.join(','), ...(position === undefined && { since }) };
      try {
        return await transport.send('GET', '/v1/events', { headers, query, signal });
      } catch (error) {
        const pause = error instanceof BurnishError ? pauseBefore(retries, error) : undefined;
        if (pause === undefined || !persists || signal?.aborted === true) throw error;
        lose();
        await sleep(pause, signal);
      }
    }
  }

  /** Returns when the stream has ended. */
  async function receiveAll(stream: Response): Promise<void> {
    const messages = readMessages(stream, signal);
    try {
      for (;;) {
        const { value: message } = await messages.next().catch(() => ({ value: undefined }));
        if (message === undefined) return;
        failures = 0;
        const at = Number(message.id);
        if (message.event === 'event') await receive(JSON.parse(message.data) as WebhookEvent, at);
        position = at;
        if (message.event === 'open') onOpen?.(at);
        signal?.throwIfAborted();
      }
    } finally {
      // Otherwise its watch for silence keeps the process alive.
      await messages.return();
    }
  }
}
