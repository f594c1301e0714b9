import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { EnhancementProgress } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import type { UploadRepresentation } from '../../domain/representations/upload.ts';
import { call, type Instance } from './call.ts';
import { ClientError, connectionLost } from './client-error.ts';

/** One message of an event stream; messages keep their order. */
export type UploadEvent =
  | { kind: 'upload'; upload: UploadRepresentation }
  | { kind: 'enhancement'; enhancement: EnhancementRepresentation }
  | ({ kind: 'progress'; enhancementId: string } & EnhancementProgress);

/** Connections in a row that may break without an event. */
const MAX_BARREN_CONNECTIONS = 8;
const MAX_PAUSE_MS = 5_000;
const MAX_EVENT_CHARACTERS = 1_000_000;

export interface WatchOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds before the first reconnection; doubles up to 5 s without events */
  pauseMs?: number;
}

/**
 * Yields the events of an upload until none of its work runs or waits (`GET /v1/uploads/{id}/events`).
 * After a broken connection it continues with the next event.
 * @throws ClientError when the server refuses, or cannot be reached for too long; the signal's reason when aborted
 */
export async function* watchUpload(
  instance: Instance,
  uploadId: string,
  { signal, pauseMs = 250 }: WatchOptions = {},
): AsyncGenerator<UploadEvent, void, undefined> {
  let lastEventId: string | undefined;
  let barren = 0;
  while (true) {
    let failure: unknown;
    try {
      const response = await call(instance, `/v1/uploads/${encodeURIComponent(uploadId)}/events?until=settled`, {
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
        signal,
      });
      for await (const message of readMessages(response)) {
        barren = 0;
        if (message.id !== undefined && message.id !== '') lastEventId = message.id;
        if (message.event === 'end') return;
        const event = toEvent(message.event, message.data);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ClientError && error.cause === undefined) throw error;
      failure = error;
    }
    signal?.throwIfAborted();
    barren += 1;
    if (barren > MAX_BARREN_CONNECTIONS) throw connectionLost(failure, instance.baseUrl);
    await sleep(Math.min(MAX_PAUSE_MS, pauseMs * 2 ** (barren - 1)), undefined, { signal }).catch(() =>
      signal?.throwIfAborted(),
    );
  }
}

function readMessages(
  response: Response,
): AsyncIterable<{ event?: string | undefined; id?: string | undefined; data: string }> {
  if (response.body === null) throw new Error('The event stream is empty');
  return response.body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_CHARACTERS }));
}

/** Events of kinds that a later server may add are passed over. */
function toEvent(name: string | undefined, data: string): UploadEvent | undefined {
  if (name === 'upload') return { kind: 'upload', upload: JSON.parse(data) as UploadRepresentation };
  if (name === 'enhancement')
    return { kind: 'enhancement', enhancement: JSON.parse(data) as EnhancementRepresentation };
  if (name === 'progress')
    return { kind: 'progress', ...(JSON.parse(data) as EnhancementProgress & { enhancementId: string }) };
  return undefined;
}
