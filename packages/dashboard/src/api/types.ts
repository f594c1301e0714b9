import type { Trial } from '@burnish/client';

/* The answers that the pages read, by the short names that the pages have for them. */
export type * from '@burnish/client';
export type { OperatorAccountRepresentation as Account } from '@burnish/contract';
export type {
  OperatorSessionRepresentation as OperatorSession,
  SessionRepresentation as Session,
} from '@burnish/contract';
export type TrialArea = Trial['area'];
