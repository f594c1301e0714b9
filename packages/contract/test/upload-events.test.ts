import { expect, test } from '@jest/globals';
import { findUploadEvent } from '@burnish/contract';

const PROCESSING = { status: 'UPLOAD_PROCESSING', subStatus: null } as const;
const ANALYZING = { status: 'UPLOAD_FINISHED', subStatus: 'METADATA_ANALYZING' } as const;
const ANALYZED = { status: 'UPLOAD_FINISHED', subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' } as const;
const UNREADABLE = { status: 'UPLOAD_FINISHED', subStatus: 'METADATA_ANALYZED_FAILED' } as const;

test.each([
  ['an image that arrives', PROCESSING, { status: 'UPLOAD_FINISHED', subStatus: null }, 'upload.status_update'],
  ['a PDF that arrives', PROCESSING, ANALYZING, 'upload.status_update'],
  ['an upload that fails', PROCESSING, { ...PROCESSING, status: 'UPLOAD_FAILED' }, 'upload.status_update'],
  ['an analysis that succeeds', ANALYZING, ANALYZED, 'upload.sub_status_update'],
  ['an analysis that fails', ANALYZING, UNREADABLE, 'upload.sub_status_update'],
  ['a deletion', ANALYZED, { ...ANALYZED, status: 'UPLOAD_DELETED' }, 'upload.deleted'],
  ['an upload that begins', { ...PROCESSING, status: 'UPLOAD_PENDING' }, PROCESSING, undefined],
  ['a second analysis that begins', UNREADABLE, ANALYZING, undefined],
  ['a change of anything else', ANALYZED, ANALYZED, undefined],
] as const)('the event of %s follows from its states', (_change, before, after, event) => {
  expect(findUploadEvent(before, after)).toBe(event);
});
