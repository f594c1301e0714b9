import type { Request, Response } from 'express';
import { type FailureCode, MAX_REPORTED_IMAGES, MAX_REPORTED_PAGES } from '@burnish/contract';
import { requireRecord } from '../commands/checks.ts';
import type { ShownFile } from '../previews/previews.ts';
import { sendPicture } from '../previews/send-picture.ts';
import { sentByHandler } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { refusal } from '../rest/problem-responses.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { Reports } from './reports.ts';

interface ReportNeeds {
  uploads: Uploads;
  enhancements: Enhancements;
  reports: Reports;
  storage: Pick<ObjectStore, 'get'>;
}

const tag = 'Reports';
const failures: FailureCode[] = [
  'NOT_FOUND',
  'CORRUPT_FILE',
  'ENCRYPTED_PDF',
  'WRONG_PASSWORD',
  'PROCESSING_LIMIT',
  'ORIGINAL_DAMAGED',
  'RESULT_DAMAGED',
];
const report = sentByHandler({
  '200': {
    description: 'The report.',
    content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
  },
  '202': {
    description: 'The report is not ready. Repeat the request after `Retry-After`.',
    headers: {
      'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } },
      Location: { description: 'URL of the report', schema: { type: 'string' } },
    },
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  '304': { description: 'The report matches `If-None-Match`.' },
  '412': refusal('The report differs from `If-Match`.'),
});
const BOUNDS = `The report shows the first ${MAX_REPORTED_IMAGES} images and the first ${MAX_REPORTED_PAGES} pages with images, and counts the others. The first request takes seconds, or gets 202 and is repeated; the report is then kept until the upload is deleted.`;

/** Time after which a client asks again, seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Sends a report, or 202 while it is being made. `Refresh` makes a browser ask again. */
async function sendReport(
  { storage }: Pick<ReportNeeds, 'storage'>,
  req: Request<object>,
  res: Response,
  made: ShownFile | undefined,
): Promise<void> {
  if (made !== undefined) return sendPicture(storage, req, res, made);
  res
    .status(202)
    .set({
      'Retry-After': String(RETRY_AFTER_SECONDS),
      Refresh: String(RETRY_AFTER_SECONDS),
      Location: req.originalUrl,
      'Cache-Control': 'no-store',
    })
    .type('text/plain')
    .send('The report is being made. This address has it soon; a browser loads it by itself.\n');
}

/** Reports as PDF, for the job ticket of a press. */
export const reportOperations = [
  operation({
    operationId: 'reportUpload',
    scope: 'read',
    method: 'get',
    path: '/v1/uploads/{id}/report.pdf',
    tag,
    summary: 'Get the preflight of an upload as PDF',
    description: `The report contains the analysis, and for each image its resolution and the effect of an enhancement to 300 DPI. ${BOUNDS}`,
    parameters: idPath('upl'),
    answer: report,
    failures,
    async handle({ caller, parameters: { id }, req, res }, deps: ReportNeeds) {
      const found = requireRecord(await deps.uploads.getWithEnhancements(caller.account.id, id));
      await sendReport(deps, req, res, await deps.reports.ofUpload(found.upload, found.enhancements));
    },
  }),

  operation({
    operationId: 'reportEnhancement',
    scope: 'read',
    method: 'get',
    path: '/v1/enhancements/{id}/report.pdf',
    tag,
    summary: 'Get the proof of an enhancement as PDF',
    description: `The report contains each image before and after, its resolution, its changes, and the parameters, credits and engine version. ${BOUNDS}`,
    parameters: idPath('enh'),
    answer: report,
    failures,
    async handle({ caller, parameters: { id }, req, res }, deps: ReportNeeds) {
      const enhancement = requireRecord(await deps.enhancements.get(caller.account.id, id));
      const upload = requireRecord(await deps.uploads.get(caller.account.id, enhancement.uploadId));
      await sendReport(deps, req, res, await deps.reports.ofEnhancement(upload, enhancement));
    },
  }),
];
