import type { GraphQLResolveInfo } from 'graphql';
import type { Caller, UploadIdempotencyKey, IdempotencyKey } from '../commands/command-types.ts';
import type { ItemScheduler } from './limits/item-scheduler.ts';
import type { LoaderDeps, Loaders } from './loaders.ts';
import type { Admission } from '../http/admission.ts';
import type { Callers } from '../http/authenticate.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';

/** What every document uses; each field also uses what it names. */
export interface GraphqlDeps extends LoaderDeps {
  callers: Callers;
  idempotencyKeys: IdempotencyKeys;
  admission: Admission;
  urls: FileUrls;
  /** Milliseconds */
  limits: { graphqlMs: number };
}

export interface GraphqlContext {
  deps: GraphqlDeps;
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
