import type { GraphQLResolveInfo } from 'graphql';
import type { Stores } from '../../database/stores.ts';
import type { Caller, UploadKey, IdempotencyKey } from '../commands/command-types.ts';
import type { Commands } from '../commands/commands.ts';
import type { ProgressWatch } from '../events/progress-watch.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { Callers } from '../http/authenticate.ts';
import type { Admission } from '../trouble/admission.ts';
import type { Turns } from './limits/fair-turns.ts';
import type { Loaders } from './loaders.ts';

export interface GraphqlDeps {
  commands: Commands;
  uploads: Pick<Stores['uploads'], 'get' | 'getMany' | 'list'>;
  enhancements: Pick<Stores['enhancements'], 'get' | 'list' | 'listForUploads'>;
  batches: Pick<Stores['batches'], 'get' | 'list'>;
  presets: Pick<Stores['presets'], 'find' | 'list'>;
  batchItems: Pick<Stores['batchItems'], 'list'>;
  ledger: Pick<Stores['ledger'], 'balance'>;
  addresses: FileAddresses;
  progress: Pick<ProgressWatch, 'read'>;
  apiKeys: Pick<Stores['apiKeys'], 'list'>;
  webhookEndpoints: Pick<Stores['webhookEndpoints'], 'get' | 'list'>;
  webhookListeners: Pick<Stores['webhookListeners'], 'list'>;
  deliveries: Pick<Stores['deliveries'], 'list' | 'attempts'>;
  idempotencyKeys: Pick<Stores['idempotencyKeys'], 'claim'>;
  callers: Pick<Callers, 'find'>;
  admission: Pick<Admission, 'run'>;
  /** Milliseconds since the epoch */
  now: () => number;
  version: string;
  engineVersion: string;
  /** Maximum duration of a document, in milliseconds */
  graphqlMs: number;
}

export interface GraphqlContext {
  deps: GraphqlDeps;
  /** In a mutation the current state of the database; in a query up to a second old */
  caller: Caller;
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
  uploadKeyFor(info: GraphQLResolveInfo): Promise<UploadKey>;
  /** Runs work within the limit of concurrent uploads. @throws Failure UNAVAILABLE */
  admit<T>(work: () => Promise<T>): Promise<T>;
}
