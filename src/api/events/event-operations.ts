import { Router } from 'express';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import { found } from '../commands/require-record.ts';
import { callerOf, contextOf, headerOf, isCallerGood } from '../http/request-context.ts';
import { eventsQuery } from '../uploads/upload-requests.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';
import { openEventStream } from './event-writer.ts';
import type { EventWriterOptions } from './event-writer.ts';
import { followUpload } from './follow-upload.ts';
import type { FollowDeps } from './follow-upload.ts';
import { revocation } from './revocation.ts';

export interface ProgressDeps extends FollowDeps {
  stream: EventWriterOptions;
  /** Streams that one API key may have open at once */
  streamsPerKey: number;
  closing: AbortSignal;
}

/** `/v1/uploads/{id}/events`: what happens to an upload, as server-sent events. */
export function progressRoutes(deps: ProgressDeps): Router {
  const router = Router();
  const open = new Map<string, number>();
  router.param('id', wellFormedId('upl'));

  router.get('/:id/events', async (req, res) => {
    const { account, keyId } = callerOf(res);
    const { until } = eventsQuery.parse(req.query);
    const after = lastEventId(headerOf(req, 'last-event-id'));
    const upload = found(await deps.uploads.get(account.id, req.params.id));
    const streams = open.get(keyId) ?? 0;
    if (streams >= deps.streamsPerKey) {
      throw new Failure('RATE_LIMITED', {
        detail: `At most ${counted(deps.streamsPerKey, 'event stream')} at once.`,
        retryAfterSeconds: 5,
      });
    }
    open.set(keyId, streams + 1);
    const writer = openEventStream(res, deps.stream);
    try {
      const closing = AbortSignal.any([deps.closing, revocation(() => isCallerGood(res), writer.closed)]);
      await followUpload(deps, writer, { upload, after, untilSettled: until === 'settled', closing });
    } catch (error) {
      // The answer is under way, so all that is left is to cut it off: the client comes back with the last id it saw.
      contextOf(res).log.error({ err: error }, 'event stream failed');
      res.destroy();
    } finally {
      const left = open.get(keyId)! - 1;
      if (left > 0) open.set(keyId, left);
      else open.delete(keyId);
    }
  });
  return router;
}

/** @throws Failure BAD_USER_INPUT for what is no number of a change */
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
