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
import type { Turns } from './limits/fair-turns.ts';
import type { Loaders } from './loaders.ts';

/** Dependencies of the resolvers. */
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
  /** Version of the enhancement engine */
  engineVersion: string;
  /** Maximum duration of a document, in milliseconds */
  graphqlMs: number;
}

/** The request of a resolver. */
export interface GraphqlContext {
  deps: GraphqlDeps;
  /** In a mutation the current state of the database; in a query up to a second old */
  caller: Caller;
  /** The key in the request */
  apiKey: string;
  loaders: Loaders;
  turns: Turns;
  /** @throws Failure UNAVAILABLE after the document's deadline */
  assertInTime(): void;
  /**
   * The idempotency key of one change in the document, from the header of the request; null without a header.
   * @throws Failure BAD_USER_INPUT for a malformed key, IDEMPOTENCY_KEY_REUSED for a key of another document
   */
  keyFor(info: GraphQLResolveInfo): Promise<IdempotencyKey>;
  /**
   * The key of a change that creates an upload. Without a header, the gateway generates one and returns it in the
   * response.
   */
  createKeyFor(info: GraphQLResolveInfo): Promise<CreateKey>;
  /** Runs work within the limit of concurrent uploads. @throws Failure UNAVAILABLE */
  admit: Admission['run'];
}
