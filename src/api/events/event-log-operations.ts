import { z } from 'zod';
import { EVENT_KINDS, SUBSCRIPTIONS, subscribedKinds, Failure } from '@burnish/contract';
import { readHeader } from '../http/request-context.ts';
import { operation } from '../rest/operation.ts';
import { asTime, moment } from '../schemas/moment.ts';
import { lastEventId, lastEventIdHeader } from './last-event-id.ts';
import { followEvents } from './follow-events.ts';
import { serveStream, streamAnswer, type StreamNeeds } from './serve-stream.ts';
import type { EventLog } from '../../database/webhooks/event-log.ts';

const kinds = z
  .string()
  .max(1_000)
  .transform((text) => text.split(',').map((kind) => kind.trim()))
  .pipe(z.array(z.enum(SUBSCRIPTIONS)).min(1))
  .optional()
  .meta({
    description: 'Only these kinds of events, separated by commas, or `*`. Default: all.',
    example: 'upload.deleted,batch.ended',
    override: { type: 'string' },
  });

/** `/v1/events`: the events of an account, for a reader with a cursor of its own. */
export const eventLogOperations = [
  operation({
    operationId: 'followEvents',
    scope: 'webhooks',
    method: 'get',
    path: '/v1/events',
    tag: 'Webhooks',
    summary: 'Follow the events of the account as server-sent events',
    description: [
      'Each message `event` is an event as webhook endpoints get it: `{ id, event, data, created }`. Its id in the stream is its position; send the last one as `Last-Event-ID` to continue, and no event is lost. The message `open` comes first, with the position that the stream starts at.',
      'Without `Last-Event-ID`, the stream starts with the next event, or with the stored events since the time `since` and up to a minute before. Readers are independent of each other and of endpoints. An event without an endpoint is stored for seven days.',
    ].join('\n\n'),
    query: z.strictObject({
      since: moment.optional().meta({ description: 'Starts with the events since this time.', ...asTime }),
      events: kinds,
      until: z
        .enum(['now'])
        .optional()
        .meta({ description: '`now`: the stream ends after the events that are stored already.' }),
    }),
    headers: lastEventIdHeader,
    answer: streamAnswer,
    failures: [],
    async handle(
      { caller, query: { since, events = EVENT_KINDS, until }, req, res },
      deps: StreamNeeds & { eventLog: EventLog },
    ) {
      const { id: accountId } = caller.account;
      const last = lastEventId(readHeader(req, 'last-event-id'));
      if (last !== undefined && since !== undefined) {
        const detail = 'The request has both since and the header Last-Event-ID. Send one of them.';
        throw new Failure('BAD_USER_INPUT', { field: 'since', detail });
      }
      const from = since === undefined ? deps.eventLog.end(accountId) : deps.eventLog.before(accountId, since);
      const order = {
        accountId,
        after: last ?? (await from),
        kinds: subscribedKinds(events),
        untilNow: until === 'now',
      };
      await serveStream(deps, res, (writer, closing) => followEvents(deps, writer, { ...order, closing }));
    },
  }),
];
