import type { GraphQLResolveInfo } from 'graphql';
import type { Callers } from '../http/callers.ts';
import type { Caller, CreateKey, IdempotencyKey } from '../commands/command-types.ts';
import type { ApiKeys, Deliveries, IdempotencyKeys, WebhookEndpoints } from '../ports.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import type { Admission } from '../trouble/admission.ts';
import type { Turns } from './limits/turns.ts';
import type { LoaderDeps, Loaders } from './loaders.ts';

/** What the operations work with: the same parts as the routes of the REST interface. */
export interface GraphqlDeps extends Pick<RestDeps, 'commands' | 'ledger' | 'addresses' | 'now'> {
  uploads: RestDeps['uploads'] & LoaderDeps['uploads'];
  enhancements: RestDeps['enhancements'] & LoaderDeps['enhancements'];
  apiKeys: Pick<ApiKeys, 'list'>;
  webhookEndpoints: Pick<WebhookEndpoints, 'list'>;
  deliveries: Pick<Deliveries, 'list' | 'attempts'>;
  idempotencyKeys: IdempotencyKeys;
  callers: Pick<Callers, 'find'>;
  admission: Pick<Admission, 'run'>;
  /** Version of Burnish */
  version: string;
  /** Version of the engine that enhances */
  engineVersion: string;
  /** Time of a document, milliseconds */
  graphqlMs: number;
}

/** What a resolver knows of its request. */
export interface GraphqlContext {
  deps: GraphqlDeps;
  /** In a change as the database says now; in a read as it said a moment ago */
  caller: Caller;
  /** The `x-api-key` header */
  apiKey: string;
  loaders: Loaders;
  turns: Turns;
  /** @throws Failure UNAVAILABLE when the time of the document is over */
  assertInTime(): void;
  /**
   * The idempotency key of one change in the document, from the header of the request; null when there is none.
   * @throws Failure BAD_USER_INPUT when it is malformed, or came before with another document
   */
  keyFor(info: GraphQLResolveInfo): Promise<IdempotencyKey>;
  /** The same for a change that makes an upload: without a header, one is made and said in the answer. */
  createKeyFor(info: GraphQLResolveInfo): Promise<CreateKey>;
  /** Takes a place among the uploads that are taken in at once. @throws Failure UNAVAILABLE */
  admit: Admission['run'];
}
