import type { Stores } from '../../database/stores.ts';
import type { HostedApi } from '../../hosted/service.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { ReceiveDeps } from '../../storage/receive-file.ts';
import type { Provider } from '../provider/local.ts';

export interface HostedDeps extends Pick<
  Stores,
  'hostedIds' | 'hostedEvents' | 'hostedSlots' | 'enhancements' | 'hostedRetention'
> {
  hostedApi: HostedApi;
  store: ObjectStore;
  detect: ReceiveDeps['detect'];
  inspector: Pick<Provider, 'inspect'>;
  safeFetch: Pick<SafeFetch, 'exchange' | 'download'>;
  /** Maximum number of concurrent enhancements at the service, across all workers */
  parallel: number;
  log: { warn(facts: Record<string, unknown>, message: string): void };
}
