import { afterEach } from '@jest/globals';
import { join } from 'node:path';
import { loopbackBuckets } from '../../support/loopback-buckets.ts';
import { Client } from '@temporalio/client';
import type { Worker, WorkflowBundle } from '@temporalio/worker';
import { Registry } from 'prom-client';
import { createDestinationWriter } from '../../../src/activities/destination.ts';
import { createDeliverySender } from '../../../src/activities/notify.ts';
import { uploads } from '../../../src/database/schema/uploads.ts';
import { createLifecycleSteps } from '../../../src/database/uploads/lifecycle-steps.ts';
import { createActivityMetrics } from '../../../src/activities/metrics.ts';
import type { GatewayLimits } from '../../../src/api/deps.ts';
import type { ReconcileDeps } from '../../../src/api/reconcile/reconcile-deps.ts';
import { createBatchOrders } from '../../../src/api/batches/batch-orders.ts';
import { reviveLost } from '../../../src/api/reconcile/reconcile-upload.ts';
import { revivingClient } from '../../../src/api/reconcile/reviving-client.ts';
import { createSuspects } from '../../../src/api/reconcile/suspects.ts';
import { uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import type { AllowedHost } from '../../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../../src/net/safe-fetch.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import {
  engineWorkers,
  inspectionWorkers,
  createMainWorker,
  createNotificationWorker,
  createTransferWorker,
} from '../../../src/runtime/create-workers.ts';
import { createDevEnvironment } from '../../support/dev-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { workflowBundle } from '../../support/workflow-bundle.ts';
import { createScriptedProvider } from '../../workflows/scripted-provider.ts';
import { useForFile } from '../../support/use-for.ts';
import { testGateway } from './gateway.ts';
import { testVault } from '../../support/test-vault.ts';

const textProgram = () => Promise.resolve({ languages: ['eng'] });

/** A gateway with a real Temporal server and workers; only the engine is scripted. */
export interface LivingGatewayOptions {
  allowedPrivateHosts?: AllowedHost[];
  limits?: Partial<GatewayLimits>;
  /** Of other workflows than those of the sources */
  bundle?: WorkflowBundle;
}

export type LivingGateway = Awaited<ReturnType<typeof livingGateway>>;

/** @param allowedPrivateHosts hosts for file downloads and event deliveries */
export async function livingGateway({
  allowedPrivateHosts = [],
  limits = {},
  bundle = workflowBundle,
}: LivingGatewayOptions = {}) {
  const folder = await temporaryFolder();
  const server = await createDevEnvironment();
  const { nativeConnection: connection, namespace = 'default' } = server.environment;
  const client = new Client({ connection, namespace });
  const store = await openFilesystemStore(join(folder.path, 'objects'));
  const provider = createScriptedProvider(store, folder.path);
  const safeFetch = createSafeFetch({ allowedPrivateHosts });
  const warnings: string[] = [];
  const note = (facts: object, message: string): void =>
    void warnings.push(`${message} ${String((facts as { err?: unknown }).err ?? '')}`);

  const suspects = createSuspects();
  const reviving = revivingClient(client, (id) => reviveLost(reconciling, id), suspects);
  const gateway = await testGateway({
    client: reviving,
    storage: store,
    limits,
    assertAllowedUrl: safeFetch.assertAllowedUrl,
    assertAllowedEndpoint: safeFetch.assertAllowedEndpoint,
    textProgram,
    openBucket: loopbackBuckets,
  });
  const reconciling: ReconcileDeps = {
    ...gateway.records,
    client,
    storage: store,
    hosted: null,
    searchNames: false,
    suspects,
    log: { info: () => undefined, warn: note as never },
    now: () => Date.now() + gateway.clock.aheadMs,
    stepMs: 100,
  };

  async function startWorkers(): Promise<() => Promise<void>> {
    const log = { error: note };
    const deps = { connection, namespace, log, metrics: createActivityMetrics(new Registry()) };
    const activities = {
      ...gateway.records,
      steps: createLifecycleSteps(gateway.database, testVault),
      store,
      engineVersion: 'scripted',
      detect: () => Promise.resolve('image/jpeg' as const),
      safeFetch,
      openBucket: loopbackBuckets,
      send: createDeliverySender(safeFetch),
      writeToDestination: createDestinationWriter({
        ...gateway.records,
        store,
        safeFetch,
        openBucket: loopbackBuckets,
      }),
      probeDatabase: () => Promise.resolve([]),
      probeStorage: () => Promise.resolve([]),
      batchOrders: createBatchOrders({
        ...gateway.records,
        client,
        storage: store,
        provider: 'local',
        searchNames: false,
        hosted: null,
        assertAllowedUrl: safeFetch.assertAllowedUrl,
        textProgram,
        now: Date.now,
        commandWaitMs: 10_000,
      }),
    };
    const workers: Worker[] = [
      await createMainWorker(deps, activities, { workflowBundle: bundle }),
      await createNotificationWorker(deps, activities),
      await createTransferWorker(deps, activities),
    ];
    const inspectors = { quick: { inspector: provider }, large: { inspector: provider } };
    const engines = { quick: { provider }, large: { provider } };
    for (const make of [
      ...inspectionWorkers(deps, inspectors, { quick: 2, large: 1 }),
      ...engineWorkers(deps, engines, { quick: 4, large: 4 }),
    ])
      workers.push(await make());
    const runs = workers.map((worker) => worker.run());
    return async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.allSettled(runs);
    };
  }
  let stopWorkers: () => Promise<void> = () => Promise.resolve();

  return {
    gateway,
    client,
    store,
    provider,
    reconciling,
    warnings,
    /** Starts the workers. No work runs before this call. */
    async work(): Promise<void> {
      stopWorkers = await startWorkers();
    },
    /** Stops the workers, until the next call of `work`. */
    async rest(): Promise<void> {
      await stopWorkers();
      stopWorkers = () => Promise.resolve();
    },
    /** Loses every running workflow, as after a restore of the Temporal server from a backup. */
    async loseWorkflows(): Promise<void> {
      // A list shows a workflow a moment after its start, and records at once.
      const recorded = await gateway.database.orm.select({ id: uploads.id }).from(uploads);
      const lost = new Set(recorded.map(({ id }) => uploadWorkflowId(id)));
      for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
        lost.add(workflowId);
      for (const workflowId of lost) {
        await client.workflow
          .getHandle(workflowId)
          .terminate('lost')
          .catch(() => undefined);
      }
    },
    isRunning: async (uploadId: string): Promise<boolean> =>
      (await client.workflow.getHandle(uploadWorkflowId(uploadId)).describe()).status.name === 'RUNNING',
    async [Symbol.asyncDispose](): Promise<void> {
      await stopWorkers();
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A gateway with working workers for all tests of a file. After each test, the engine succeeds at once again. */
export function useLivingGateway(options: LivingGatewayOptions = {}): LivingGateway {
  const living = useForFile(async () => {
    const opened = await livingGateway(options);
    await opened.work();
    return opened;
  });
  afterEach(() => {
    living.provider.script = {};
    living.gateway.clock.aheadMs = 0;
  });
  return living;
}
