import type { Logger } from 'pino';
import type { Readiness } from '../api/health/health-operations.ts';
import { startMetricsServer } from '../api/metrics/metrics-server.ts';
import type { Config } from './config.ts';
import { NO_MODELS, type ModelSet } from '../engine/neural/model-set.ts';
import { findJail, type Jail } from '../engine/sandbox/jail.ts';
import { prepareModels } from '../engine/neural/prepare-models.ts';
import { openGround, type Ground } from './services.ts';
import { keepHeapLean } from './lean-heap.ts';
import { leaveLocalAccess, type LocalAccess } from './local-access.ts';
import { createMetrics } from './metrics.ts';
import type { LinkOptions, TemporalLink } from './temporal.ts';
import type { WorkerRole } from './workers.ts';

export interface Stack {
  ground: Ground;
  temporal: TemporalLink;
  /** The account that an instance has from its start; `apiKey` only when it was made just now */
  first: FirstAccount;
  /** How commands on this machine reach the gateway, where there is one */
  access: LocalAccess | undefined;
  /** Settles with the reason when a part dies on its own */
  failed: Promise<Error>;
  /** Ends all parts in the order in which they need each other. */
  close(): Promise<void>;
}

export interface StackOptions {
  config: Config;
  environment: NodeJS.ProcessEnv;
  log: Logger;
  /** Told in sentences what takes a while */
  report: (sentence: string) => void;
  signal?: AbortSignal | undefined;
  /** What runs in this process; with both an embedded Temporal server will do, with one of them the others need to share it */
  gateway: boolean;
  workers: readonly WorkerRole[];
}

const STARTING: Readiness = { ready: false, problems: ['The process is starting.'] };

/** Starts the parts of Burnish in this process. @throws StartupError in one sentence */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, log, environment, report, signal } = options;
  const whole = options.gateway && options.workers.length === 2;
  if (options.workers.length === 0) keepHeapLean();
  const linkOptions: LinkOptions = { config, environment, report, signal, log };
  const metrics = createMetrics();
  let ready = (): Promise<Readiness> => Promise.resolve(STARTING);
  const closings: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closings.splice(0).reverse()) await end();
  };

  const jail = findJail(config.sandbox);
  try {
    // The data folder is locked first: whoever is second learns so before it touches anything.
    const opening = openGround(config, environment);
    // Code is read while the thread of the database opens it, and below while Temporal's server starts.
    const temporalCode = import('./temporal.ts');
    const ground = await opening;
    closings.push(() => ground.close());
    if (config.metricsPort !== null) {
      const where = { host: config.metricsHost, port: config.metricsPort };
      const server = await startMetricsServer(
        { ...metrics, token: config.metricsToken, log, ready: () => ready() },
        where,
      );
      closings.push(() => server.close());
    }
    // Beside the start of Temporal, which may be fetching something itself.
    const modelsWanted = options.workers.length === 0 ? Promise.resolve(NO_MODELS) : modelsFor(options);
    // Whatever fails first is what is told.
    modelsWanted.catch(() => undefined);
    const { linkOrEmbedTemporal, linkTemporal } = await temporalCode;
    const linking = (whole ? linkOrEmbedTemporal : linkTemporal)(linkOptions);
    const rest = Promise.all([
      import('./workers.ts'),
      import('./readiness.ts'),
      options.gateway ? import('./gateway.ts') : undefined,
    ]);
    const temporal = await linking;
    closings.push(() => temporal.close());
    const [{ startWorkers }, { processReadiness }, gatewayCode] = await rest;
    const models = await modelsWanted;
    const workers = await startWorkers(options.workers, ground, temporal, {
      log,
      hosted: config.hosted,
      models,
      metrics,
      jail,
    });
    closings.push(() => workers.close());
    ready = () => processReadiness(ground, temporal, workers, jail.name);
    if (gatewayCode !== undefined) {
      const gateway = await gatewayCode.openGateway(config, ground, temporal, { log, metrics, jail });
      closings.push(() => gateway.close());
    }
    // Last, since secrets that are made here are shown once, by whoever started the whole.
    const first = await makeFirstAccount(config, ground);
    const { uiUrl = null, namespace } = temporal;
    const where = { baseUrl: localUrl(config), temporalUiUrl: uiUrl, namespace };
    // A worker on its own may share its data folder with a gateway, and must not hide where that is.
    const access = options.gateway
      ? await leaveLocalAccess(ground, first.account.id, where, config.bootstrapApiKey)
      : undefined;
    tellJail(jail, log);
    return { ground, temporal, first, access, failed: firstFailure(temporal, workers.failed), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function tellJail({ name, layers, isolates }: Jail, log: Logger): void {
  if (isolates) return log.info({ sandbox: name, layers }, 'decoders run in a sandbox of the kernel');
  const advice = 'decoders run without isolation by the kernel: install bubblewrap or allow user namespaces';
  log.warn({ sandbox: name, layers }, advice);
}

function modelsFor({ config, environment, report, signal }: StackOptions): Promise<ModelSet> {
  return prepareModels({ modelsDir: config.modelsDir, best: config.engineTier, env: environment, report, signal });
}

export type FirstAccount = Awaited<ReturnType<typeof makeFirstAccount>>;

function makeFirstAccount({ plan, creditsPerPeriod, bootstrapApiKey }: Config, { accounts }: Ground) {
  return accounts.ensureFirst({
    plan,
    creditsPerPeriod,
    ...(bootstrapApiKey === null ? {} : { apiKey: bootstrapApiKey }),
  });
}

function firstFailure(temporal: TemporalLink, workersFailed: Promise<never>): Promise<Error> {
  const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
  return Promise.race([
    temporal.ended.then(() => new Error('The embedded Temporal server has ended.')),
    workersFailed.catch(asError),
  ]);
}

/** Where commands on this machine reach the gateway, whatever address it has for others. */
function localUrl({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
