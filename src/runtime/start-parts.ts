import type { Logger } from 'pino';
import { Failure } from '@burnish/contract';
import type { Readiness } from '../api/health/health-operations.ts';
import { startMetricsServer } from '../api/metrics/metrics-server.ts';
import { localUrl } from '../domain/local-url.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { Config } from './config.ts';
import type { Database } from '../database/database.ts';
import { ensureInitialAccount } from '../database/accounts/initial-account.ts';
import { findModels, NO_MODELS } from '@burnish/engine/host';
import { findJail, type Jail } from '../sandbox/jail.ts';
import { missingIsolation } from '../sandbox/missing-isolation.ts';
import { openServices, type Services } from './services.ts';
import { keepHeapLean } from './lean-heap.ts';
import { markStorage } from './mark-storage.ts';
import { leaveLocalAccess, type LocalAccess } from './local-access.ts';
import { loadOperatorKey } from './operator-key.ts';
import { createMetrics } from './metrics.ts';
import type { OnceStarted } from './readiness.ts';
import type { LinkOptions, TemporalLink } from './temporal.ts';
import type { WorkerRole } from './start-workers.ts';

export interface Stack {
  services: Services;
  temporal: TemporalLink;
  /** Null without a gateway: a worker makes no account, and prints no secret. `apiKey` is set only if this start created it */
  initial: DefaultAccount | null;
  /** The generated operator's key; null if one is configured */
  operatorKey: string | null;
  /** What decoders lack, for people; null with the strongest sandbox */
  sandboxMissing: string | null;
  /** URL and key for commands on this machine; undefined without a gateway */
  access: LocalAccess | undefined;
  /** Stops all parts, each before its dependencies. */
  close(): Promise<void>;
}

export interface StackOptions {
  config: Config;
  environment: NodeJS.ProcessEnv;
  log: Logger;
  report: (sentence: string) => void;
  signal?: AbortSignal | undefined;
  /** Parts of this process. Only a process with gateway and workers may embed the Temporal server. */
  gateway: boolean;
  workers: readonly WorkerRole[];
}

const STARTING: Readiness = { ready: false, problems: ['The process is starting.'] };

/**
 * Starts the parts of Burnish in this process.
 * @param opening the database, which closes with the parts
 * @throws StartupError with one sentence
 */
export async function startParts(options: StackOptions, opening: Promise<Database>): Promise<Stack> {
  const { config, log, environment, report, signal } = options;
  const whole = options.gateway && options.workers.length === 2;
  if (options.workers.length === 0) keepHeapLean();
  const metrics = createMetrics({ exemplars: config.tracing !== null });
  let hasStarted = false;
  // A caller that waits for readiness uses the configured key, which is valid only after the complete start.
  const onceStarted: OnceStarted = (check) => () => (hasStarted ? check() : Promise.resolve(STARTING));
  let ready = (): Promise<Readiness> => Promise.resolve(STARTING);
  const closings: (() => Promise<void>)[] = [async () => (await opening.catch(() => undefined))?.close()];
  const close = async (): Promise<void> => {
    for (const end of closings.splice(0).reverse()) await end();
  };

  try {
    if (config.tracing !== null) {
      const { startTracing } = await import('./start-tracing.ts');
      const tracing = await startTracing(log, config.tracing.share);
      closings.push(() => tracing.close());
    }
    // Loads code and checks the program while the database opens. Below, it loads code while the Temporal server starts.
    const temporalCode = import('./temporal.ts');
    // Connecting reports its errors.
    const findingProgram = temporalCode.then(({ findProgram }) => findProgram(options)).catch(() => undefined);
    const services = await openServices(config, environment, log, { metrics, database: await opening });
    if (config.metricsPort !== null) {
      const where = { host: config.metricsHost, port: config.metricsPort };
      const server = await startMetricsServer(
        { ...metrics, token: config.metricsToken, log, ready: () => ready(), failing: services.database.problem },
        where,
      );
      closings.push(() => server.close());
    }
    await openStorage(services, options, (problem) => {
      ready = () => Promise.resolve({ ready: false, problems: [problem] });
    });
    ready = () => Promise.resolve(STARTING);
    const { linkOrEmbedTemporal, linkTemporal } = await temporalCode;
    const { keyRing, stores } = services;
    const program = whole ? await findingProgram : undefined;
    const keys = { keyRing, secrets: stores.secrets, payloadKeys: stores.payloadKeys };
    const linkOptions: LinkOptions = { config, environment, report, signal, log, ...keys, program };
    const linking = (whole ? linkOrEmbedTemporal : linkTemporal)(linkOptions);
    const rest = Promise.all([
      import('./start-workers.ts'),
      import('./readiness.ts'),
      import('./serve-nexus.ts'),
      options.gateway ? import('./gateway.ts') : undefined,
    ]).then((code) => [...code, findJail(config.sandbox)] as const);
    // Read below. A failure while the server starts must not end the process before the server.
    rest.catch(() => undefined);
    const temporal = await linking;
    closings.push(() => temporal.close());
    const [{ startWorkers }, { processReadiness }, { serveNexus }, gatewayCode, jail] = await rest;
    const usesModels = options.gateway || options.workers.length > 0;
    const models = usesModels ? await findModels(config.engineTier, report) : NO_MODELS;
    const workers = await startWorkers(options.workers, services, temporal, {
      log,
      provider: config.provider,
      hosted: config.hosted,
      deployment: config.workerDeployment,
      models,
      metrics,
      jail,
    });
    closings.push(() => workers.close());
    const nexus = options.workers.includes('main') ? serveNexus(config, services, temporal, { log, jail }) : undefined;
    closings.push(async () => nexus?.close());
    ready = onceStarted(() => processReadiness(services, temporal, workers, jail.name));
    if (gatewayCode !== undefined) {
      const gateway = await gatewayCode.openGateway(config, services, temporal, {
        log,
        metrics,
        jail,
        models,
        onceStarted,
      });
      closings.push(() => gateway.close());
    }
    // The last step, because its secrets are shown once, after a complete start.
    const initial = options.gateway ? await makeDefaultAccount(config, services) : null;
    const isKeyMade = options.gateway && config.operatorKey === null;
    const operatorKey = isKeyMade ? await loadOperatorKey(config, stores) : null;
    const { uiUrl = null, namespace } = temporal;
    const where = { baseUrl: localUrl(config.host, config.port), temporalUiUrl: uiUrl, namespace };
    // A worker may share its data folder with a gateway, and must not overwrite the gateway's URL.
    const access =
      initial === null
        ? undefined
        : await leaveLocalAccess(services, initial.account.id, where, config.bootstrapApiKey);
    tellJail(jail, log);
    hasStarted = true;
    return {
      services,
      temporal,
      initial,
      operatorKey,
      sandboxMissing: missingIsolation(jail),
      access,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for the storage of this instance. */
async function openStorage(
  { unmarkedStore, storageMarker, stores: { storageMarkers, leases } }: Services,
  { config, log, report, signal }: StackOptions,
  onWait: (problem: string) => void,
): Promise<void> {
  const at = { store: unmarkedStore, marker: storageMarker, markers: storageMarkers, leases };
  await markStorage(at, {
    accepted: config.acceptedStorage,
    signal,
    onWait(sentence) {
      report(sentence);
      log.warn({ problem: sentence }, 'the start waits for storage');
      onWait(sentence);
    },
  });
}

function tellJail(jail: Jail, log: Logger): void {
  const { name, layers } = jail;
  // The terminal gets a missing sandbox as a sentence of its own.
  log.info({ sandbox: name, layers }, missingIsolation(jail) ?? 'decoders run in a sandbox of the kernel');
}

export type DefaultAccount = Awaited<ReturnType<typeof makeDefaultAccount>>;

function makeDefaultAccount({ plan, creditsPerPeriod, bootstrapApiKey }: Config, { database, vault }: Services) {
  return ensureInitialAccount(database, vault, {
    ...(plan === null ? {} : { plan }),
    ...(creditsPerPeriod === null ? {} : { creditsPerPeriod }),
    ...(bootstrapApiKey === null ? {} : { apiKey: bootstrapApiKey }),
  }).catch((error: unknown): never => {
    if (error instanceof Failure && error.field === 'plan') throw new StartupError(`BURNISH_PLAN: ${error.message}`);
    throw error;
  });
}
