import { STATUS_CODES } from 'node:http';
import { FAILURES, type FailureCode } from '../../domain/failures.ts';

/**
 * The title of a problem (RFC 9457, section 3.1.3): the code's sentence, and HTTP's own word where the status is not that of the
 * code, as then the sentence is about something else.
 */
export const problemTitle = (code: FailureCode, status: number): string =>
  status === FAILURES[code].httpStatus ? FAILURES[code].sentence : STATUS_CODES[status]!;
