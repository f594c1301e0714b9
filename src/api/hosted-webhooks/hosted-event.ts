import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '@burnish/contract';
import { HOSTED_EVENT_KEPT_MS, type RecordedHostedEvent } from '../../database/hosted/hosted-events.ts';

const id = z
  .union([z.string(), z.int().transform(String)])
  .pipe(z.string().regex(/^[\x21-\x7e]{1,200}$/))
  .nullish()
  .catch(null);

/** Lenient, since services name and fill their events differently, and the workflow reads the state again anyway. */
const envelope = z.object({
  id,
  created: z.iso.datetime({ offset: true }).nullish().catch(null),
  event: z.string().catch(''),
  data: z
    .object({
      id,
      uploadId: id,
      upload: z.object({ id }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

/** Tolerated lead of the service's clock, in milliseconds. */
const AHEAD_MS = 5 * 60_000;

export interface IncomingEvent extends RecordedHostedEvent {
  /** Time of the event, milliseconds since the epoch; null if the body has none */
  createdMs: number | null;
}

/**
 * Whether an event may be a replay by an attacker. Repetitions are detected for a day only. An older event cannot be
 * a repetition by the service, and an event with a future time would count as new for too long. Events without a time
 * pass.
 */
export function isOutsideReplayWindow({ createdMs }: IncomingEvent, nowMs: number): boolean {
  return createdMs !== null && (createdMs < nowMs - HOSTED_EVENT_KEPT_MS || createdMs > nowMs + AHEAD_MS);
}

/** @throws Failure BAD_USER_INPUT for a body that is not a JSON object */
export function incomingEvent(raw: Buffer): IncomingEvent {
  const { data: body } = envelope.safeParse(parse(raw));
  if (body === undefined) throw new Failure('BAD_USER_INPUT', { detail: 'Expected an event as a JSON object.' });
  return {
    // Without an id, events with equal bodies are the same event.
    id: body.id ?? `sha256:${createHash('sha256').update(raw).digest('hex')}`,
    event: body.event.replace(/[^\x20-\x7e]/g, '').slice(0, 100),
    remoteId: body.data?.id ?? null,
    remoteUploadId: body.data?.uploadId ?? body.data?.upload?.id ?? null,
    createdMs: typeof body.created === 'string' ? Date.parse(body.created) : null,
  };
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
