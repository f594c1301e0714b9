import type { GraphQLResolveInfo } from 'graphql';
import type { ApiKeys } from '../../database/accounts/api-keys.ts';
import type { CreditLedger } from '../../database/credits/credit-ledger.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { WebhookEndpoints } from '../../database/webhooks/webhook-endpoints.ts';
import type { Caller, CreateKey, IdempotencyKey } from '../commands/command-types.ts';
import type { Commands } from '../commands/commands.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { Callers } from '../http/authenticate.ts';
import type { Admission } from '../trouble/admission.ts';
import type { Turns } from './limits/turns.ts';
import type { Loaders } from './loaders.ts';

/** What resolvers work with. */
export interface GraphqlDeps {
  commands: Commands;
  uploads: Pick<Uploads, 'get' | 'getMany' | 'list'>;
  enhancements: Pick<Enhancements, 'get' | 'list' | 'listForUploads'>;
  ledger: Pick<CreditLedger, 'balance'>;
  addresses: FileAddresses;
  apiKeys: Pick<ApiKeys, 'list'>;
  webhookEndpoints: Pick<WebhookEndpoints, 'get' | 'list'>;
  deliveries: Pick<Deliveries, 'list' | 'attempts'>;
  idempotencyKeys: Pick<IdempotencyKeys, 'claim'>;
  callers: Pick<Callers, 'find'>;
  admission: Pick<Admission, 'run'>;
  /** Milliseconds since the epoch */
  now: () => number;
  /** Version of Burnish */
  version: string;
  /** Version of the engine that enhances */
  engineVersion: string;
  /** Time of a document, milliseconds */
  graphqlMs: number;
}

/** The request of a resolver. */
export interface GraphqlContext {
  deps: GraphqlDeps;
  /** In a mutation as the database has it now; in a query up to a second old */
  caller: Caller;
  /** As the request brought it */
  apiKey: string;
  loaders: Loaders;
  turns: Turns;
  /** @throws Failure UNAVAILABLE when the time of the document is over */
  assertInTime(): void;
  /**
   * The idempotency key of one change in the document, from the header of the request; null when there is none.
   * @throws Failure BAD_USER_INPUT when it is malformed, IDEMPOTENCY_KEY_REUSED when it came before with another document
   */
  keyFor(info: GraphQLResolveInfo): Promise<IdempotencyKey>;
  /** The same for a change that creates an upload: without a header, one is generated and returned with the answer. */
  createKeyFor(info: GraphQLResolveInfo): Promise<CreateKey>;
  /** Takes a place among the uploads that are taken in at once. @throws Failure UNAVAILABLE */
  admit: Admission['run'];
}
