import { Router } from 'express';
import { z } from 'zod';
import { seqCursor, toPage } from '../../database/page.ts';
import { ENHANCEMENT_STATUSES, type EnhancementStatus } from '../../domain/enhancement/enhancement.ts';
import type { TimelineEntryRepresentation } from '../../domain/representations/upload.ts';
import { UPLOAD_STATUSES, type UploadStatus } from '../../domain/upload/upload.ts';
import { found } from '../commands/require-record.ts';
import type { Change, Changes, Uploads } from '../ports.ts';
import { callerOf } from '../http/request-context.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';
import { page, parse } from '../rest/respond.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';

export const timelineEntrySchema = z
  .object({
    at: z.iso.datetime().meta({ example: '2026-01-31T09:30:00.000Z' }),
    subject: z.enum(['upload', 'enhancement']),
    id: z.string().meta({ description: 'Id of the upload or of the enhancement' }),
    status: z.enum([...UPLOAD_STATUSES, ...ENHANCEMENT_STATUSES]).meta({ description: 'As it was then' }),
    sentence: z.string().meta({ description: 'What happened, in words', example: 'Received: a JPEG of 2.4 MB.' }),
  })
  .meta({ id: 'TimelineEntry', description: 'Something that happened to an upload or to an enhancement of it.' });

export interface TimelineDeps {
  uploads: Pick<Uploads, 'get'>;
  changes: Pick<Changes, 'listSince'>;
}

/** `/v1/uploads/{id}/timeline`: what the workflows said of an upload, from the feed of changes. */
export function timelineRoutes({ uploads, changes }: TimelineDeps): Router {
  const router = Router();
  router.param('id', wellFormedId('upl'));
  router.get('/:id/timeline', async (req, res) => {
    const request = pageRequest(parse(pageQuery, req.query));
    const { id: accountId } = callerOf(res).account;
    const [after] = seqCursor.decode(request.after) ?? [0];
    const upload = found(await uploads.get(accountId, req.params.id));
    const rows = await changes.listSince(accountId, upload.id, after, request.limit + 1);
    page(
      req,
      res,
      toPage(rows, request, ({ seq }) => seqCursor.encode([seq])),
      toEntry,
    );
  });
  return router;
}

function toEntry(change: Change): TimelineEntryRepresentation {
  const { at, subject, subjectId: id, sentence, snapshot } = change;
  const { status } = snapshot;
  return { at: new Date(at).toISOString(), subject, id, status, sentence: sentence ?? SENTENCES[status] };
}

/** Where no workflow spoke: the gateway wrote the first state, or the change is older than sentences. */
const SENTENCES: Record<UploadStatus | EnhancementStatus, string> = {
  UPLOAD_PENDING: 'The upload was ordered; the file is still to come.',
  UPLOAD_PROCESSING: 'The upload was accepted.',
  UPLOAD_FINISHED: 'The file is there.',
  UPLOAD_FAILED: 'The upload has failed.',
  UPLOAD_DELETED: 'The upload was deleted.',
  QUEUED: 'The enhancement was ordered.',
  AWAITING_APPROVAL: 'The enhancement waits for approval.',
  AWAITING_CREDITS: 'The enhancement waits for credits.',
  PROCESSING: 'The enhancement is at work.',
  FINISHED: 'The enhancement has finished.',
  ERROR: 'The enhancement has failed.',
  CANCELLED: 'The enhancement was cancelled.',
};
