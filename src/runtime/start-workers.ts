import { createBatchOrders } from '../api/batches/batch-orders.ts';
import { createDestinationWriter } from '../activities/destination.ts';
import { createDeliverySender } from '../activities/notify.ts';
import type { Provider } from '../activities/provider/local.ts';
import type { FailureLog } from '../activities/failure.ts';
import type { HostedDeps } from '../activities/hosted/deps.ts';
import { measureSandbox, measureDeliveries } from '../activities/metrics.ts';
import { detectMediaType, engineSizing, engineVersionWith, type ModelSet } from '@burnish/engine/host';
import type { Jail } from '../sandbox/jail.ts';
import { createTextReader } from '../sandbox/text/text-reader.ts';
import { createFairLimiter, type FairLimiter } from '../process/fair-limiter.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import {
  createHostedWorker,
  createMainWorker,
  createNotificationWorker,
  createTransferWorker,
  EMBEDDED_LIMITS,
  engineWorkers,
  inspectionWorkers,
  type MakeWorker,
} from './create-workers.ts';
import type { Config } from './config.ts';
import { keepWorker } from './kept-worker.ts';
import { commandServices, type Services } from './services.ts';
import type { Metrics } from './metrics.ts';
import { openScratch } from './scratch.ts';
import type { TemporalLink } from './temporal.ts';
import { withTestOutcomes } from '../test-accounts/outcomes.ts';
import { createProviderWithTests } from '../test-accounts/provider.ts';
import { BUILD } from './version.ts';

export type WorkerRole = 'main' | 'engine';

export interface RunningWorkers {
  /** Whether every worker runs; false while one is replaced after a failure, or is stopping */
  running(): boolean;
  close(): Promise<void>;
}

export interface WorkersDeps {
  log: FailureLog & HostedDeps['log'];
  provider: Config['provider'];
  hosted: Config['hosted'];
  deployment: Config['workerDeployment'];
  models: ModelSet;
  metrics: Metrics;
  jail: Jail;
}

/**
 * Slots of a worker for permits of the decoders. A file takes its permit within its activity, and accounts take turns for it.
 * Activities without a permit meanwhile read and store their files, and wait for the workflow service.
 */
const slotsFor = ({ quick, large }: { quick: number; large: number }): { quick: number; large: number } => ({
  quick: 8 * quick,
  large: 2 * large,
});

export async function startWorkers(
  roles: readonly WorkerRole[],
  services: Services,
  { connection, namespace, codec, client, isEmbedded }: TemporalLink,
  { log, provider, hosted, deployment, models, metrics, jail }: WorkersDeps,
): Promise<RunningWorkers> {
  const deps = { connection, namespace, deployment, codec, log, metrics: metrics.activities };
  const closings: (() => Promise<void>)[] = [];
  const makers: MakeWorker[] = [];
  const scratch = await openScratch(services.dataDir);
  closings.push(() => scratch.close());
  const engineVersion = engineVersionWith(models);
  const { files, inspections } = engineSizing();
  const limiter = createFairLimiter({ atOnce: files.large });
  const textReader = createTextReader({ jail, limiter, find: services.textProgram, scratchDir: scratch.path });
  const sandbox = measureSandbox(
    createSandbox({ concurrency: files.large, limiter, models, jail, scratchDir: scratch.path }),
    metrics.engine,
  );
  closings.unshift(() => sandbox.close());
  const { stores } = services;
  const createProvider = (run: Sandbox['run']): Provider =>
    createProviderWithTests(
      {
        sandbox: { ...sandbox, run },
        store: services.store,
        passwords: stores.uploadPasswords,
        scratchDir: scratch.path,
        textReader,
        engineVersion,
        build: BUILD,
      },
      stores,
    );
  const providerWith = (limiter: FairLimiter): Provider =>
    createProvider((task, input, options) => sandbox.run(task, input, { ...options, limiter }));
  if (roles.includes('engine')) {
    // Half of the permits are for other accounts, so that one account never has them all.
    const quick = { provider: providerWith(createFairLimiter({ atOnce: 2 * files.quick, ofOwner: files.quick })) };
    const large = { provider: createProvider(sandbox.run) };
    makers.push(...engineWorkers(deps, { quick, large }, slotsFor(files)));
  }
  if (roles.includes('main')) {
    // An account has the same children as in the engine worker, but enhancements delay no inspection. Results from a hosted service
    // have one permit.
    const inspector = providerWith(createFairLimiter({ atOnce: 1 }));
    const quick = { inspector: providerWith(createFairLimiter({ atOnce: inspections.quick })) };
    const large = { inspector: providerWith(createFairLimiter({ atOnce: inspections.large })) };
    const deliveries = measureDeliveries(stores.deliveries, metrics.webhooks);
    const batchOrders = createBatchOrders({ ...stores, ...commandServices(services, { provider, hosted }, client) });
    const effects = { ...services, ...stores };
    const activities = withTestOutcomes({
      ...{ ...effects, deliveries, detect: detectMediaType, engineVersion, batchOrders },
      send: createDeliverySender(services.safeFetch),
      writeToDestination: createDestinationWriter(effects),
    });
    const limits = isEmbedded ? EMBEDDED_LIMITS : {};
    makers.push(() => createMainWorker(deps, activities, limits));
    makers.push(() => createNotificationWorker(deps, activities));
    makers.push(() => createTransferWorker(deps, activities));
    makers.push(...inspectionWorkers(deps, { quick, large }, slotsFor(inspections)));
    if (hosted !== null) {
      const { hostedDeps } = await import('./hosted-services.ts');
      const calls = hostedDeps(hosted, services, inspector, log);
      makers.push(() => createHostedWorker(deps, calls, hosted.callsPerSecond));
    }
  }
  const made = [];
  for (const make of makers) made.push({ make, first: await make() });
  const workers = made.map(({ make, first }) => keepWorker(first, make, (sentence) => log.error({}, sentence)));
  return {
    running: () => workers.every((worker) => worker.running()),
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      for (const close of closings) await close();
    },
  };
}
