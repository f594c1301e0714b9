import { expect, test } from '@jest/globals';
import type { UploadWithEnhancements } from '../src/api/types.ts';
import { findActivity } from '../src/uploads/activity.ts';

const upload = (status: string, destination: string | null) =>
  ({
    status: 'UPLOAD_FINISHED',
    subStatus: null,
    mimetype: 'image/jpeg',
    waitingFor: null,
    enhancements: [{ status, destination: destination === null ? null : { status: destination } }],
  }) as unknown as UploadWithEnhancements;

test.each([
  ['PROCESSING', null, 'busy'],
  ['AWAITING_APPROVAL', null, 'waiting'],
  ['FINISHED', null, 'settled'],
  ['FINISHED', 'DELIVERED', 'settled'],
  // The first attempt may run when the page reads the record.
  ['FINISHED', 'PENDING', 'waiting'],
])('an upload with an enhancement that is %s, and a destination that is %s, is %s', (status, destination, activity) => {
  expect(findActivity(upload(status, destination))).toBe(activity);
});
