/* The answers that the pages read, by the short names that the pages have for them. */
export type * from '@burnish/client';
export type { OperatorAccountRepresentation as Account } from '../../../../src/domain/representations/answers.ts';
export type {
  OperatorSessionRepresentation as OperatorSession,
  SessionRepresentation as Session,
} from '../../../../src/domain/representations/session.ts';
