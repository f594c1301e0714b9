import { EventSourceParserStream } from 'eventsource-parser/stream';

/** The service sends a comment every 15 s. A proxy that withholds the stream sends nothing. */
const MAX_SILENCE_MS = 45_000;
const MAX_EVENT_CHARACTERS = 1_000_000;

/** A server-sent event. */
export interface Message {
  event?: string | undefined;
  id?: string | undefined;
  data: string;
}

/**
 * Reads server-sent events until the connection or the signal ends it.
 * @throws TypeError for another answer; errors of the connection
 */
export async function* readMessages(
  { body, headers }: Response,
  signal?: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  if (body === null) throw new TypeError('The event stream is empty.');
  if (headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    await body.cancel();
    throw new TypeError('A proxy replaced the event stream.');
  }
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const postpone = (): void => {
    clearTimeout(alarm);
    alarm = setTimeout(stop, MAX_SILENCE_MS);
  };
  const messages = body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_CHARACTERS, onComment: postpone }))
    .getReader();
  const stop = (): void => void messages.cancel().catch(() => undefined);
  // Node.js forgets the signal of a `fetch` whose response has lasted for a while.
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      postpone();
      const { done, value } = await messages.read();
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(alarm);
    signal?.removeEventListener('abort', stop);
    // Also after the last event, so that no connection stays open.
    stop();
  }
}
