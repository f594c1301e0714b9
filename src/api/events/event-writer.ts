import { once } from 'node:events';
import type { Response } from 'express';
import { onceHalfClosed } from '../http/half-closed.ts';
import { onceClosed } from '../http/once-closed.ts';

export interface ServerEvent {
  /** The client returns it as `Last-Event-ID` when it reconnects */
  id?: number;
  event: string;
  data: unknown;
}

export interface EventWriter {
  /** Writes an event and waits until the client can receive more. Disconnects a client that stalls for too long. */
  send(event: ServerEvent): Promise<void>;
  /** Writes an event only if the client is keeping up. */
  offer(event: ServerEvent): void;
  /** Aborted when the client disconnects or is disconnected */
  closed: AbortSignal;
  end(): void;
}

export interface EventWriterOptions {
  /** Interval in milliseconds of the comments that keep the connection alive */
  heartbeatMs: number;
  /** Time in milliseconds after which a client that reads nothing is disconnected */
  stallMs: number;
}

/** Begins a stream of server-sent events. It buffers at most one event. */
export function openEventStream(res: Response, { heartbeatMs, stallMs }: EventWriterOptions): EventWriter {
  const closing = new AbortController();
  res.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    Connection: 'keep-alive',
    'X-Accel-Buffering': 'no',
  });
  res.flushHeaders();
  res.socket?.setNoDelay(true);
  res.write('retry: 1000\n\n');

  const heartbeat = setInterval(() => {
    if (!res.writableNeedDrain) res.write(': still here\n\n');
  }, heartbeatMs).unref();
  onceClosed(res, () => {
    clearInterval(heartbeat);
    closing.abort();
  });
  onceHalfClosed(res, () => {
    closing.abort();
    res.end();
  });

  return {
    closed: closing.signal,
    async send(event) {
      if (closing.signal.aborted || res.write(format(event))) return;
      const stall = setTimeout(() => res.destroy(), stallMs);
      try {
        await once(res, 'drain', { signal: closing.signal });
      } catch {
        // The client disconnected; `closed` reports it.
      } finally {
        clearTimeout(stall);
      }
    },
    offer(event) {
      if (!closing.signal.aborted && !res.writableNeedDrain) res.write(format(event));
    },
    end() {
      clearInterval(heartbeat);
      res.end();
    },
  };
}

function format({ id, event, data }: ServerEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
