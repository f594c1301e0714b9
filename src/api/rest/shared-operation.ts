import type { z } from 'zod';
import type { FailureCode, Scope } from '@burnish/contract';
import type { Caller, IdempotencyKey } from '../commands/command-types.ts';
import type { Content } from './answers.ts';

/** The field of GraphQL that follows from an operation: its arguments, its type, its errors and its description. */
export interface GraphqlField {
  /** Name of the query or of the mutation */
  field: string;
  /** The body is one argument `input`. Absent: each of its fields is an argument */
  input?: true;
  /** Parameters of the query that GraphQL lacks, because a document selects what they would add */
  without?: readonly string[];
  /** Schema of the record or of the items, where the answer has several */
  record?: z.ZodObject;
  /** A read that cannot fail, so that its type has no null */
  alwaysThere?: true;
}

/** The request of an operation that knows nothing of HTTP. */
export interface SharedRequest<Parameters, Query, Body> {
  caller: Caller;
  parameters: Parameters;
  query: Query;
  body: Body;
  /** From the `Idempotency-Key` header; always null for reads */
  idempotencyKey: IdempotencyKey;
}

/** An operation that REST and GraphQL share. */
export interface SharedOperation<Deps> {
  graphql: GraphqlField;
  scope: Scope;
  /** It changes nothing, so it is a query, without an `Idempotency-Key` */
  isRead: boolean;
  /** Sentences about what it does */
  description: string;
  parameters: z.ZodObject | undefined;
  query: z.ZodObject | undefined;
  body: z.ZodObject | undefined;
  content: Content;
  failures: readonly FailureCode[];
  handle: (request: SharedRequest<never, never, never>, deps: Deps) => unknown;
}
