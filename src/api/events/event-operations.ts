import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import { requireRecord } from '../commands/checks.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { getContext, readHeader, isCallerGood } from '../http/request-context.ts';
import { sentByHandler } from '../rest/answers.ts';
import { idParameter, operation } from '../rest/operation.ts';
import { openEventStream, type EventWriterOptions } from './event-writer.ts';
import { followUpload, type FollowDeps } from './follow-upload.ts';

/** Together with the cache time of a valid key, this ends the streams of a deleted key within a second. */
const LOOK_AGAIN_MS = 500;

interface EventDeps extends FollowDeps {
  stream: EventWriterOptions;
  /** Limits the event streams of each API key */
  streamLimit: ConcurrencyLimit;
  /** Aborted when the gateway begins to close */
  closing: AbortSignal;
}

/** `/v1/uploads/{id}/events`: the changes of an upload as server-sent events. */
export const eventOperations = [
  operation({
    operationId: 'followUpload',
    scope: 'read',
    method: 'get',
    path: '/v1/uploads/{id}/events',
    tag: 'Uploads',
    summary: 'Follow an upload as server-sent events',
    description: [
      'Events `upload` and `enhancement` contain the record at that time, and have an id. Send the last id as `Last-Event-ID` to resume the stream. Without it, the stream starts with all past events.',
      'Events `progress` contain `{ enhancementId, step, fraction }` of running work, with `fraction` from 0.0 to 1.0, and have no id. The event `end` is the last one: the upload was deleted, or all work has ended with `until=settled`.',
    ].join('\n\n'),
    parameters: z.object({ id: idParameter('upl') }),
    query: z.strictObject({
      until: z
        .enum(['settled'])
        .optional()
        .meta({ description: '`settled`: the stream ends when all work of the upload has ended.' }),
    }),
    headers: z.object({
      'Last-Event-ID': z.string().optional().meta({ description: 'Id of the last event received', example: '12' }),
    }),
    answer: sentByHandler({
      '200': { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    }),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, query: { until }, req, res }, deps: EventDeps) {
      const after = lastEventId(readHeader(req, 'last-event-id'));
      const upload = requireRecord(await deps.uploads.get(caller.account.id, id));
      await deps.streamLimit.run(caller.keyId, tooManyStreams, async () => {
        const writer = openEventStream(res, deps.stream);
        try {
          const closing = AbortSignal.any([deps.closing, revocation(() => isCallerGood(res), writer.closed)]);
          await followUpload(deps, writer, { upload, after, untilSettled: until === 'settled', closing });
        } catch (error) {
          // The response has begun, so the stream is cut off. The client reconnects with the last id that it
          // received.
          getContext(res).log.error({ err: error }, 'event stream failed');
          res.destroy();
        }
      });
    },
  }),
];

const tooManyStreams = (max: number): Failure =>
  new Failure('RATE_LIMITED', {
    detail: `At most ${counted(max, 'event stream')} at once. Close one, or wait.`,
    retryAfterSeconds: 5,
  });

/** @throws Failure BAD_USER_INPUT for a text other than a change number */
function lastEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (!/^\d{1,15}$/.test(header)) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'Last-Event-ID',
      detail: 'Expected the id of an event of this stream.',
    });
  }
  return Number(header);
}

/**
 * Aborted when the reader of a stream loses access: the key was deleted, or the session ended. A failed check, such
 * as with an unavailable database, does not end the stream.
 * @param ended aborted when the stream ends by itself
 */
function revocation(isGood: () => Promise<boolean>, ended: AbortSignal): AbortSignal {
  const revoked = new AbortController();
  void watch();
  return revoked.signal;

  async function watch(): Promise<void> {
    for (;;) {
      await delay(LOOK_AGAIN_MS, undefined, { ref: false });
      if (ended.aborted) return;
      if (await isGood().catch(() => true)) continue;
      revoked.abort();
      return;
    }
  }
}
