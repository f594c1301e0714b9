import type { Commands } from '../commands.ts';
import type { ApiKeys, CreditLedger, Deliveries, Enhancements, Uploads, WebhookEndpoints } from '../ports.ts';
import type { ReceiveDeps } from '../receive-file.ts';
import type { FileAddresses } from './representations.ts';

/** What the routes of the REST interface work with. */
export interface RestDeps extends ReceiveDeps {
  commands: Commands;
  uploads: Pick<Uploads, 'get' | 'getWithEnhancements' | 'list'>;
  enhancements: Pick<Enhancements, 'get' | 'list' | 'listForUpload' | 'listForUploads'>;
  ledger: CreditLedger;
  apiKeys: Pick<ApiKeys, 'get' | 'list'>;
  webhookEndpoints: WebhookEndpoints;
  deliveries: Pick<Deliveries, 'get' | 'list' | 'attempts'>;
  addresses: FileAddresses;
}
