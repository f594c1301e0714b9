import type { Client } from '@temporalio/client';
import { createDestinationWriter } from '../../src/activities/destination.ts';
import type { MainActivityDeps } from '../../src/activities/index.ts';
import { createDeliverySender } from '../../src/activities/notify.ts';
import type { TransferDeps } from '../../src/activities/transfers.ts';
import { createBatchOrders } from '../../src/api/batches/batch-orders.ts';
import type { createStores } from '../../src/database/stores.ts';
import type { SafeFetch } from '../../src/net/safe-fetch.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { loopbackBuckets } from '../support/loopback-buckets.ts';

interface Parts {
  stores: ReturnType<typeof createStores>;
  store: ObjectStore;
  safeFetch: SafeFetch;
  /** For starts of uploads */
  client: Client;
}

/** The parts of light activities in a lifecycle. A file is a PDF if it begins with `%`, unsupported with `x`, and else an image. */
export function lifecycleActivities({ stores, store, safeFetch, client }: Parts): MainActivityDeps & TransferDeps {
  return {
    store,
    engineVersion: 'scripted',
    detect: (head) =>
      Promise.resolve(head[0] === 0x25 ? 'application/pdf' : head[0] === 0x78 ? undefined : 'image/jpeg'),
    safeFetch,
    openBucket: loopbackBuckets,
    probeDatabase: () => Promise.resolve([]),
    probeStorage: () => Promise.resolve([]),
    ...stores,
    send: createDeliverySender(safeFetch),
    writeToDestination: createDestinationWriter({ ...stores, store, safeFetch, openBucket: loopbackBuckets }),
    batchOrders: createBatchOrders({
      ...stores,
      ...safeFetch,
      storage: store,
      client,
      provider: 'local',
      searchNames: false,
      hosted: null,
      textProgram: () => Promise.resolve({ languages: ['eng'] }),
      now: Date.now,
      commandWaitMs: 10_000,
    }),
  };
}
