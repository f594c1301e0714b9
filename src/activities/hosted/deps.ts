import type { HostedApi } from '../../hosted/service.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { ReceiveDeps } from '../../storage/receive-file.ts';
import type { Provider } from '../provider/local.ts';
import type { HostedIds } from '../../database/hosted/hosted-ids.ts';
import type { HostedEvents } from '../../database/hosted/hosted-events.ts';
import type { HostedSlots } from '../../database/hosted/hosted-slots.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { HostedRetention } from '../../database/hosted/hosted-retention.ts';

export interface HostedDeps {
  hostedIds: HostedIds;
  hostedEvents: HostedEvents;
  hostedSlots: HostedSlots;
  enhancements: Enhancements;
  hostedRetention: HostedRetention;
  hostedApi: HostedApi;
  store: ObjectStore;
  detect: ReceiveDeps['detect'];
  inspector: Pick<Provider, 'inspect'>;
  safeFetch: Pick<SafeFetch, 'exchange' | 'download'>;
  /** Maximum number of concurrent enhancements at the service, across all workers */
  parallel: number;
  log: { warn(facts: Record<string, unknown>, message: string): void };
}
