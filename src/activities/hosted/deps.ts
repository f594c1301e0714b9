import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { HostedEvents } from '../../database/hosted/hosted-events.ts';
import type { HostedIds } from '../../database/hosted/hosted-ids.ts';
import type { HostedSlots } from '../../database/hosted/hosted-slots.ts';
import type { HostedRetention } from '../../database/hosted/hosted-retention.ts';
import type { HostedApi } from '../../hosted/service.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { ReceiveDeps } from '../../storage/receive-file.ts';
import type { Provider } from '../provider/provider.ts';

export interface HostedDeps {
  hostedApi: HostedApi;
  hostedIds: HostedIds;
  hostedEvents: Pick<HostedEvents, 'unboundEnhancements'>;
  hostedSlots: HostedSlots;
  enhancements: Pick<Enhancements, 'findUploadId'>;
  hostedRetention: HostedRetention;
  store: ObjectStore;
  detect: ReceiveDeps['detect'];
  /** Inspects downloaded images */
  inspector: Pick<Provider, 'inspect'>;
  safeFetch: Pick<SafeFetch, 'exchange' | 'download'>;
  /** Maximum number of concurrent enhancements at the service, across all workers */
  parallel: number;
  log: { warn(facts: Record<string, unknown>, message: string): void };
}
