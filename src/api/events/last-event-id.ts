import { z } from 'zod';
import { Failure } from '@burnish/contract';

/** The header with which a reader resumes a stream. */
export const lastEventIdHeader = z.object({
  'Last-Event-ID': z.string().optional().meta({ description: 'Id of the last message received', example: '12' }),
});

/** @returns undefined without the header @throws Failure BAD_USER_INPUT for a text other than a number of a stream */
export function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (!/^\d{1,15}$/.test(header)) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'Last-Event-ID',
      detail:
        'The header Last-Event-ID is no id of this stream. Send the id of its last event that you have, or no header.',
    });
  }
  return Number(header);
}
