import { type EnhancementProgress, isSettled } from '@burnish/contract';
import { readMessages } from './event-stream.ts';
import { sleep, type Transport } from './transport.ts';
import type { Enhancement, Upload, UploadWithEnhancements } from './types.ts';

/** A change of an upload, of one of its enhancements, or of the progress of one. */
export type UploadEvent =
  | { kind: 'upload'; upload: Upload }
  | { kind: 'enhancement'; enhancement: Enhancement }
  | ({ kind: 'progress'; enhancementId: string } & EnhancementProgress);

export interface FollowOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds before the first reconnection; they double without events. Default 250 */
  pauseMs?: number;
  /** Milliseconds between two readings where no event stream works. Default 2,000 */
  pollMs?: number;
}

/** Connections in a row that break without an event, before polling replaces them. */
const MAX_BARREN_CONNECTIONS = 4;
const MAX_PAUSE_MS = 5_000;

/**
 * Yields the events of an upload until none of its work runs or waits. After a broken connection it continues with the next event. Where
 * event streams break again and again, it reads the upload from time to time, without progress.
 * @throws BurnishError for a refusal, or an unreachable instance; the reason of an aborted signal
 */
export async function* followUpload(
  transport: Transport,
  uploadId: string,
  { signal, pauseMs = 250, pollMs = 2_000 }: FollowOptions = {},
): AsyncGenerator<UploadEvent, void, undefined> {
  let lastEventId: string | undefined;
  for (let barren = 0; barren < MAX_BARREN_CONNECTIONS; barren += 1) {
    if (barren > 0) await sleep(Math.min(MAX_PAUSE_MS, pauseMs * 2 ** (barren - 1)), signal);
    const response = await openStream(transport, uploadId, lastEventId, signal);
    // The transport has repeated this connection before it fails. Only a stream that opened and broke is opened again.
    try {
      for await (const message of readMessages(response, signal)) {
        barren = 0;
        if (message.id !== undefined && message.id !== '') lastEventId = message.id;
        if (message.event === 'end') return;
        const event = toEvent(message.event, message.data);
        if (event !== undefined) yield event;
      }
    } catch {
      signal?.throwIfAborted();
    }
    signal?.throwIfAborted();
  }
  yield* pollUpload(transport, uploadId, pollMs, signal);
}

async function openStream(
  transport: Transport,
  uploadId: string,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  return await transport.send('GET', `/v1/uploads/${encodeURIComponent(uploadId)}/events`, {
    query: { until: 'settled' },
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal,
  });
}

/** Events of kinds that a later service may add are passed over. */
function toEvent(name: string | undefined, data: string): UploadEvent | undefined {
  if (name === 'upload') return { kind: 'upload', upload: JSON.parse(data) as Upload };
  if (name === 'enhancement') return { kind: 'enhancement', enhancement: JSON.parse(data) as Enhancement };
  if (name === 'progress')
    return { kind: 'progress', ...(JSON.parse(data) as EnhancementProgress & { enhancementId: string }) };
  return undefined;
}

/** Yields each record that changed since the last reading. */
async function* pollUpload(
  transport: Transport,
  uploadId: string,
  pollMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<UploadEvent, void, undefined> {
  const seen = new Map<string, string>();
  const isNew = ({ id }: { id: string }, state: string): boolean => {
    if (seen.get(id) === state) return false;
    seen.set(id, state);
    return true;
  };
  for (;;) {
    const path = `/v1/uploads/${encodeURIComponent(uploadId)}`;
    const { enhancements, ...upload } = await transport.json<UploadWithEnhancements>('GET', path, { signal });
    if (isNew(upload, `${upload.status} ${upload.subStatus} ${upload.waitingFor}`)) yield { kind: 'upload', upload };
    for (const enhancement of enhancements) {
      const { status, waitingFor, destination } = enhancement;
      if (isNew(enhancement, `${status} ${waitingFor} ${destination?.status}`))
        yield { kind: 'enhancement', enhancement };
    }
    if (isSettled(upload, enhancements)) return;
    await sleep(pollMs, signal);
  }
}
