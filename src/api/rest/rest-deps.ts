import type { Commands } from '../commands/commands.ts';
import type { ApiKeys, AuditLog, CreditLedger, Deliveries, Enhancements, Uploads, WebhookEndpoints } from '../ports.ts';
import type { ReceiveDeps } from '../uploads/receive/receive-file.ts';
import type { PreferredWaits } from './preferred-wait.ts';
import type { FileAddresses } from '../uploads/upload-schemas.ts';

/** What the routes of the REST interface work with. */
export interface RestDeps extends ReceiveDeps {
  commands: Commands;
  uploads: Pick<Uploads, 'get' | 'getWithEnhancements' | 'list'>;
  enhancements: Pick<Enhancements, 'get' | 'list' | 'listForUpload' | 'listForUploads'>;
  ledger: CreditLedger;
  apiKeys: Pick<ApiKeys, 'get' | 'list'>;
  webhookEndpoints: WebhookEndpoints;
  deliveries: Pick<Deliveries, 'get' | 'list' | 'attempts'>;
  audit: Pick<AuditLog, 'list'>;
  addresses: FileAddresses;
  preferredWait: PreferredWaits;
}
