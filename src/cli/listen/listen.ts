import { hkdfSync } from 'node:crypto';
import { Burnish, forwardTo, type BurnishOptions } from '@burnish/client';
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
  const { forwardTo: url, events, since, after, secret = secretOf(instance.apiKey), json = false } = options;
  const forward = forwardTo(url, secret);
  let last: number | undefined;
  let isForwarded = false;
  const onOpen = (position: number): void => {
    if (last === undefined && json) print(JSON.stringify({ secret, position }));
    else if (last === undefined) {
      print(`Signing secret: ${secret}`);
      print(`Forwarding events to ${url}. Press Ctrl-C to stop.`);
    }
    last = position;
  };
  const order = {
    ...{ signal, onOpen, onDisconnect: () => report('The connection is lost. It continues where it was.') },
    ...(events && { events }),
    ...(since !== undefined && { since }),
    ...(after !== undefined && { after }),
  };
  try {
    await new Burnish(instance).webhooks.listen(order, async (event, position) => {
      const { httpStatus, latencyMs, answer } = await forward(event);
      [last, isForwarded] = [position, true];
      const { id, event: kind, created, data } = event;
      const reason = httpStatus === null ? answer : null;
      if (json) print(JSON.stringify({ position, id, event: kind, created, httpStatus, latencyMs, reason }));
      else print(`${created}  ${kind}  ${findSubject(data)}  ${reason ?? `${httpStatus} in ${latencyMs} ms`}  ${id}`);
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    if (isForwarded) report(`Continue later with --after ${last}.`);
  }
}

/** The same at each start with one key, so that the receiver keeps its setting. The key cannot be derived from it. */
const secretOf = (apiKey = ''): string =>
  `whsec_${Buffer.from(hkdfSync('sha256', apiKey, '', 'burnish listen', 32)).toString('base64')}`;

/** The id of the record that the event is about, or nothing. */
function findSubject(data: object): string {
  return 'id' in data ? String(data.id) : '-';
}
