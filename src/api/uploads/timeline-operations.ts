import { z } from 'zod';
import { ENHANCEMENT_STATUSES, type EnhancementStatus, UPLOAD_STATUSES, type UploadStatus } from '@burnish/contract';
import type { Change, Changes } from '../../database/changes.ts';
import { mapPage, seqCursor, toPage } from '../../database/page.ts';
import { requireRecord } from '../commands/checks.ts';
import { page } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';

interface TimelineNeeds {
  uploads: Uploads;
  changes: Changes;
}

const timelineEntrySchema = z
  .object({
    at: z.iso.datetime().meta({ example: '2026-01-31T09:30:00.000Z' }),
    subject: z.enum(['upload', 'enhancement']),
    id: z.string().meta({ description: 'Id of the upload or of the enhancement' }),
    status: z.enum([...UPLOAD_STATUSES, ...ENHANCEMENT_STATUSES]).meta({ description: 'Status after the change' }),
    sentence: z.string().meta({ description: 'Description of the change', example: 'Received: a JPEG of 2.4 MB.' }),
  })
  .meta({ id: 'TimelineEntry', description: 'A change of an upload or of one of its enhancements.' });
export type TimelineEntryRepresentation = z.infer<typeof timelineEntrySchema>;

/** `/v1/uploads/{id}/timeline`: descriptions of an upload's changes, from the change feed. */
export const timelineOperations = [
  operation({
    operationId: 'listTimelineEntries',
    scope: 'read',
    method: 'get',
    path: '/v1/uploads/{id}/timeline',
    tag: 'Uploads',
    summary: 'Read the changes of an upload and its enhancements, oldest first',
    description: 'The timeline is kept until seven days after the deletion of the upload.',
    parameters: idPath('upl'),
    query: pageQuery,
    answer: page(timelineEntrySchema),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, query }, { uploads, changes }: TimelineNeeds) {
      const { id: accountId } = caller.account;
      const request = pageRequest(query);
      const [after] = seqCursor.decode(request.after) ?? [0];
      const upload = requireRecord(await uploads.get(accountId, id));
      const rows = await changes.listSince(accountId, upload.id, after, request.limit + 1);
      return mapPage(
        toPage(rows, request, ({ seq }) => seqCursor.encode([seq])),
        toEntry,
      );
    },
  }),
];

function toEntry(change: Change): TimelineEntryRepresentation {
  const { at, subject, subjectId: id, sentence, snapshot } = change;
  const { status } = snapshot;
  return { at: new Date(at).toISOString(), subject, id, status, sentence: sentence ?? SENTENCES[status] };
}

/** For changes without a sentence: first states, written by the gateway, and old changes. */
const SENTENCES: Record<UploadStatus | EnhancementStatus, string> = {
  UPLOAD_PENDING: 'The upload was declared. Its file has not arrived yet.',
  UPLOAD_PROCESSING: 'The upload was accepted.',
  UPLOAD_FINISHED: 'The file has arrived.',
  UPLOAD_FAILED: 'The upload has failed.',
  UPLOAD_DELETED: 'The upload was deleted.',
  QUEUED: 'The enhancement was ordered.',
  AWAITING_APPROVAL: 'The enhancement waits for approval.',
  AWAITING_CREDITS: 'The enhancement waits for credits.',
  PROCESSING: 'The enhancement is running.',
  FINISHED: 'The enhancement has finished.',
  ERROR: 'The enhancement has failed.',
  CANCELLED: 'The enhancement was cancelled.',
};
