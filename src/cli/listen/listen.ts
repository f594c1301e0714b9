import { hostname } from 'node:os';
import { Burnish, forwardTo, type BurnishOptions, type WebhookListenerWithSecret } from '@burnish/client';
import { MAX_WAITING } from '../../domain/events/listening.ts';
import { counted } from '@burnish/engine/contract';
import type { ListenCommandOptions } from './listen-command.ts';

interface ListenDeps {
  instance: BurnishOptions;
  /** Ends the listening */
  signal: AbortSignal;
  /** Prints a line of the output */
  print: (line: string) => void;
  /** Prints a sentence beside the output */
  report: (sentence: string) => void;
}

/**
 * Forwards the events of the account to a receiver until the signal is aborted.
 * @throws BurnishError
 */
export async function runListen(options: ListenCommandOptions, { instance, signal, print, report }: ListenDeps) {
  const { forwardTo: url, events, since, name = defaultName(url), json = false } = options;
  const forward = forwardTo(url);
  const order = { name, signal, ...(events && { events }), ...(since !== undefined && { since }) };
  const onDisconnect = (): void => report('The connection is lost. Events wait until it is back.');
  const onOpen = (listener: WebhookListenerWithSecret): void => {
    if (json) print(JSON.stringify({ listener: withoutSecret(listener), secret: listener.secret }));
    else for (const line of describe(listener, url)) print(line);
  };
  try {
    await new Burnish(instance).webhooks.listen({ ...order, onOpen, onDisconnect }, async (delivery) => {
      const answer = await forward(delivery);
      const { httpStatus, latencyMs, answer: text } = answer;
      const { id, event, created } = delivery.event;
      const reason = httpStatus === null ? text : null;
      if (json) print(JSON.stringify({ deliveryId: delivery.id, id, event, created, httpStatus, latencyMs, reason }));
      else {
        const outcome = reason ?? `${httpStatus} in ${latencyMs} ms`;
        print(`${created}  ${event}  ${findSubject(delivery.event.data)}  ${outcome}  ${delivery.id}`);
      }
      return answer;
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The same at each start, and without a query, which may contain a secret. */
function defaultName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${hostname()}/${host}${pathname}`.replace(/[^\w.:@/-]/g, '-').slice(0, 200);
}

function withoutSecret({ secret: _, ...listener }: WebhookListenerWithSecret) {
  return listener;
}

function describe({ name, secret, waiting }: WebhookListenerWithSecret, url: string): string[] {
  const full = waiting >= MAX_WAITING ? ' The queue was full: later events are missing.' : '';
  return [
    `Signing secret: ${secret}`,
    `Forwarding events to ${url} as the listener ${name}. Press Ctrl-C to stop.`,
    ...(waiting === 0 ? [] : [`${counted(waiting, 'event')} waited meanwhile.${full}`]),
  ];
}

/** The id of the record that the event is about, or nothing. */
function findSubject(data: object): string {
  return 'id' in data ? String(data.id) : '-';
}
