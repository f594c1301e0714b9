import { z } from 'zod';
import { requireRecord } from '../commands/checks.ts';
import { readHeader } from '../http/request-context.ts';
import { idPath, operation } from '../rest/operation.ts';
import { followUpload, type FollowNeeds } from './follow-upload.ts';
import { lastEventId, lastEventIdHeader } from './last-event-id.ts';
import { serveStream, streamAnswer, type StreamNeeds } from './serve-stream.ts';

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
    parameters: idPath('upl'),
    query: z.strictObject({
      until: z
        .enum(['settled'])
        .optional()
        .meta({ description: '`settled`: the stream ends when all work of the upload has ended.' }),
    }),
    headers: lastEventIdHeader,
    answer: streamAnswer,
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, query: { until }, req, res }, deps: FollowNeeds & StreamNeeds) {
      const after = lastEventId(readHeader(req, 'last-event-id')) ?? 0;
      const upload = requireRecord(await deps.uploads.get(caller.account.id, id));
      await serveStream(deps, res, (writer, closing) =>
        followUpload(deps, writer, { upload, after, untilSettled: until === 'settled', closing }),
      );
    },
  }),
];
