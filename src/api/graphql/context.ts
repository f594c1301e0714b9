import type { GraphQLResolveInfo } from 'graphql';
import type { Caller, UploadIdempotencyKey, IdempotencyKey } from '../commands/command-types.ts';
import type { ItemScheduler } from './limits/item-scheduler.ts';
import type { Loaders } from './loaders.ts';
import type { Gateway } from '../gateway.ts';

export interface GraphqlContext {
  deps: Gateway;
  /** In a mutation the current state of the database; in a query up to a second old */
  caller: Caller;
  apiKey: string;
  loaders: Loaders;
  scheduler: ItemScheduler;
  /** @throws Failure UNAVAILABLE after the document's deadline */
  assertInTime(): void;
  /**
   * The idempotency key of one change in the document, from the header of the request; null without a header.
   * @throws Failure BAD_USER_INPUT for a malformed key, IDEMPOTENCY_KEY_REUSED for a key of another document
   */
  idempotencyKeyFor(info: GraphQLResolveInfo): Promise<IdempotencyKey>;
  /**
   * The key of a change that creates an upload. Without a header, the gateway generates one and returns it in the
   * response.
   */
  uploadIdempotencyKeyFor(info: GraphQLResolveInfo): Promise<UploadIdempotencyKey>;
  /** Runs work within the limit of concurrent uploads. @throws Failure UNAVAILABLE */
  admit<T>(work: () => Promise<T>): Promise<T>;
}
