import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { allOperatorCommands } from '../api/operator/all-operator-commands.ts';
import { startHousekeeping } from '../api/reconcile/housekeeping.ts';
import { createDatabaseMetrics } from '../api/metrics/database-metrics.ts';
import { createProgressReader } from '../api/changes/progress-watch.ts';
import { keepReleasing } from '../api/webhooks/release-deliveries.ts';
import { keepReconciled } from '../api/reconcile/keep-reconciled.ts';
import { reviveLost } from '../api/reconcile/reconcile-upload.ts';
import { revivingClient } from '../api/reconcile/reviving-client.ts';
import { createSuspects } from '../api/reconcile/suspects.ts';
import { CONNECTION_LIMITS } from '../api/http/connection-limits.ts';
import { startGateway } from '../api/server.ts';
import { proveProgress } from '../api/health/progress-proof.ts';
import { watchWorkers } from '../api/health/workers-watch.ts';
import type { Config } from './config.ts';
import { detectMediaType, ENGINE_VERSION, type ModelSet } from '@burnish/engine/host';
import type { Jail } from '../sandbox/jail.ts';
import { missingIsolation } from '../sandbox/missing-isolation.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createPasses } from '../secrets/passes.ts';
import { createUrlSigner, watchSigningKeys } from '../storage/signed-url.ts';
import { decodeRequest } from '../temporal/decode-request.ts';
import { PASS_PARAMETER } from '../temporal/ui-proxy.ts';
import { type FleetAt, fleetCommands, unpolledTaskQueues } from './fleet.ts';
import { commandServices, type Services } from './services.ts';
import type { Metrics } from './metrics.ts';
import { boundConnections } from './open-files.ts';
import { loadOperatorKey } from './operator-key.ts';
import { serveOperator } from './operator-server.ts';
import { openPreviewEngine } from './preview-engine.ts';
import { gatewayReadiness, type OnceStarted } from './readiness.ts';
import type { TemporalLink } from './temporal.ts';
import { VERSION } from './version.ts';

/** Grace time for running requests, milliseconds. Orchestrators wait 30 seconds, or have a setting for it. */
const CLOSE_GRACE_MS = 20_000;
/** Interval between checks for workers. */
const WORKERS_LOOK_MS = 10_000;
/** A sibling of this folder in dist/. The sources are in packages/dashboard. */
const DASHBOARD = fileURLToPath(new URL('../dashboard', import.meta.url));
/** The same, from packages/guide. */
const GUIDE = fileURLToPath(new URL('../guide', import.meta.url));

interface GatewayParts {
  log: Logger;
  metrics: Metrics;
  jail: Jail;
  /** Networks of trials */
  models: ModelSet;
  onceStarted: OnceStarted;
}

export async function openGateway(
  config: Config,
  services: Services,
  { client, namespace, uiUrl }: TemporalLink,
  { log, metrics, jail, models, onceStarted }: GatewayParts,
): Promise<{ close(): Promise<void> }> {
  const { stores } = services;
  createDatabaseMetrics(metrics.registry, stores.stateCounts, { now: Date.now, log });
  const operatorKey = await loadOperatorKey(config, stores);
  const temporal = { namespace, connection: client.connection };
  const at: FleetAt = { client, namespace, hosted: config.hosted !== null, deployment: config.workerDeployment };
  const fleet = fleetCommands(at);
  const operatorDeps = {
    ...stores,
    openBucket: services.openBucket,
    openStore: () => Promise.resolve(services.store),
    client,
    temporal,
    fleet,
    publicUrl: config.publicUrl,
    operatorKey,
    now: Date.now,
  };
  const operator = await serveOperator(services.dataDir, allOperatorCommands(operatorDeps), log);
  const sealer = services.keyRing.sealer('payloads');
  const temporalUi = config.temporalUiUrl ?? uiUrl;
  const signingKeys = await watchSigningKeys(stores.signingKeys, log);
  const previewEngine = await openPreviewEngine(services.dataDir, { jail, models });
  const suspects = createSuspects();
  const { hosted, searchNames } = config;
  const reconciling = { ...stores, storage: services.store, client, hosted, searchNames, suspects, log, now: Date.now };
  const workers = watchWorkers(() => unpolledTaskQueues({ ...at, hosted: false }), WORKERS_LOOK_MS);
  const proof = proveProgress({ client, namespace, log });
  const connectionsInTotal = boundConnections(CONNECTION_LIMITS.connectionsInTotal);
  let mayBeBehind = (_createdAt: string): boolean => false;
  const gateway = await startGateway(
    {
      stores,
      ...commandServices(
        services,
        config,
        revivingClient(client, (uploadId) => reviveLost(reconciling, uploadId), suspects),
      ),
      previewEngine,
      trialEngine: previewEngine.trials,
      estimatePdf: previewEngine.estimatePdf(services.store, stores.uploadPasswords),
      publicUrl: config.publicUrl,
      operatorKey,
      trustedProxies: config.trustedProxies,
      version: VERSION,
      engineVersion: ENGINE_VERSION,
      sandbox: jail.name,
      sandboxMissing: missingIsolation(jail),
      dashboardFolder: DASHBOARD,
      guideFolder: GUIDE,
      decodePayloads: (body) => decodeRequest(sealer, body),
      admitToTemporalUi: uiUrl === undefined ? undefined : (to) => admittedTo(uiUrl, to, services.keyRing),
      temporalUi: temporalUi === undefined ? undefined : { url: temporalUi, namespace },
      log,
      metrics: { ...metrics, readers: config.metricsToken === null ? 'none' : { token: config.metricsToken } },
      workersAway: workers.away,
      mayBeBehind: (createdAt) => mayBeBehind(createdAt),
      fleet: fleet.workers,
      readProgress: createProgressReader(client),
      listen: (channel, callback) => services.database.listen(channel, callback),
      signer: createUrlSigner({ keys: signingKeys.keys, now: Date.now }),
      detectMediaType,
      failing: services.database.problem,
      limits: { bodyFloor: config.uploadFloor },
      ready: onceStarted(() => gatewayReadiness({ ...services, stalled: proof.problems }, at, jail.name)),
    },
    { ...config, connections: { ...config.connections, connectionsInTotal } },
  ).catch(async (error: unknown): Promise<never> => {
    void workers.close();
    void proof.close();
    void signingKeys.close();
    await previewEngine.close();
    await operator.close();
    throw error;
  });
  const stopHousekeeping = startHousekeeping({ ...stores, storage: services.store, client, log, now: Date.now });
  const reconciler = keepReconciled(reconciling);
  ({ mayBeBehind } = reconciler);
  const stopReleasing = keepReleasing(reconciling);
  return {
    async close() {
      void workers.close();
      void proof.close();
      void signingKeys.close();
      await reconciler.stop();
      await stopReleasing();
      await stopHousekeeping();
      await operator.close();
      await gateway.close(CLOSE_GRACE_MS);
      await previewEngine.close();
    },
  };
}

/** Time for a browser to follow the redirect into the Web UI, milliseconds. */
const PASS_MS = 60_000;

function admittedTo(uiUrl: string, to: string, keyRing: KeyRing): string {
  const passes = createPasses(keyRing.sealer('temporal ui'), Date.now);
  // Before the query of the caller, whose own pass then counts for nothing.
  const pass = `?${PASS_PARAMETER}=${passes.issue('way in', PASS_MS)}`;
  return uiUrl + (to.includes('?') ? to.replace('?', `${pass}&`) : to + pass);
}
