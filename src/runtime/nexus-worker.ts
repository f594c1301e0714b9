import { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createCommands } from '../api/commands.ts';
import { GATEWAY_LIMITS } from '../api/deps.ts';
import { createChangeFanout } from '../api/changes/change-fanout.ts';
import { createFileUrls } from '../api/files/file-urls.ts';
import { createLookBuilds } from '../api/looks/look-builds.ts';
import { createPreviews } from '../api/previews/previews.ts';
import { createBoundedWork } from '../api/trouble/bounded-work.ts';
import { failureInterceptor } from '../activities/failure.ts';
import { heartbeatInterceptor } from '../activities/heartbeat.ts';
import { traceInterceptor } from '../activities/tracing.ts';
import { NEXUS_TASK_QUEUE } from '../domain/temporal/operation-interface.ts';
import { detectMediaType } from '@burnish/engine/host';
import type { Jail } from '../sandbox/jail.ts';
import { burnishServiceHandler } from '../nexus/burnish-service.ts';
import { createOperationActivities } from '../nexus/operation-activities.ts';
import { createTickets } from '../nexus/ticket.ts';
import { traceCommands } from '../temporal/trace-commands.ts';
import { createUrlSigner, watchSigningKeys } from '../storage/signed-url.ts';
import type { Config } from './config.ts';
import { workerNames } from './create-workers.ts';
import { keepWorker } from './kept-worker.ts';
import { workflowCode } from './workflow-code.ts';
import { openPreviewEngine } from './preview-engine.ts';
import { commandServices, type Services } from './services.ts';
import type { TemporalLink } from './temporal.ts';

/** Operations that wait at once in one process; each is a subscription and a few kilobytes. */
const WAITING_OPERATIONS = 2_000;
export interface NexusWorker {
  close(): Promise<void>;
}

/** A worker for Nexus operations and the workflows that wait for their results. */
export async function openNexusWorker(
  config: Pick<Config, 'publicUrl' | 'provider' | 'hosted' | 'workerDeployment'>,
  services: Services,
  { connection, client, namespace }: Pick<TemporalLink, 'connection' | 'client' | 'namespace'>,
  { log, jail }: { log: Logger; jail: Jail },
): Promise<NexusWorker> {
  const { publicUrl } = config;
  const { stores } = services;
  const signingKeys = await watchSigningKeys(stores.signingKeys, log);
  const engine = await openPreviewEngine(services.dataDir, { jail });
  const fanout = createChangeFanout({
    listen: (channel, callback) => services.database.listen(channel, callback),
    pollMs: GATEWAY_LIMITS.changePollMs,
    log,
  });
  const signer = createUrlSigner({ keys: signingKeys.keys, now: Date.now });
  const { accounts, enhancements, nexusEndpoints, stagedFiles } = stores;
  const parts = {
    ...{ accounts, enhancements, nexusEndpoints, stagedFiles, storage: services.store, now: Date.now },
    urls: createFileUrls({ signer, publicUrl, now: Date.now, log }),
    fanout,
    tickets: createTickets(services.keyRing.sealer('operations')),
    detectMediaType,
    log,
  };
  const engineWork = createBoundedWork({ atOnce: engine.children });
  const previewing = { previewEngine: engine, storage: services.store, engineWork };
  const previews = createPreviews({ ...previewing, uploadPasswords: stores.uploadPasswords });
  const commands = createCommands(stores, {
    ...commandServices(services, config, client),
    publicUrl,
    signer,
    engineWork,
    lookBuilds: createLookBuilds({ ...previewing, buildLook: engine.buildLook, previews }),
    estimatePdf: engine.estimatePdf(services.store, stores.uploadPasswords),
  });
  const make = (): Promise<Worker> =>
    Worker.create({
      connection,
      namespace,
      ...workerNames(config.workerDeployment),
      taskQueue: NEXUS_TASK_QUEUE,
      ...workflowCode(),
      nexusServices: [burnishServiceHandler({ ...parts, commands })],
      activities: { ...createOperationActivities({ ...parts, commands }) },
      interceptors: {
        client: { workflow: [traceCommands] },
        activity: [
          (context) => ({ inbound: traceInterceptor(context) }),
          (context) => ({ inbound: failureInterceptor(context, log) }),
          (context) => ({ inbound: heartbeatInterceptor(context) }),
        ],
      },
      maxConcurrentActivityTaskExecutions: WAITING_OPERATIONS,
      shutdownGraceTime: '5 s',
      shutdownForceTime: '20 s',
    });
  const close = async (): Promise<void> => {
    await fanout.close();
    await signingKeys.close();
    await engine.close();
  };
  try {
    const worker = keepWorker(await make(), make, (sentence) => log.error(sentence));
    return {
      async close() {
        await worker.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
