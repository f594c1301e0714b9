import type { Logger } from 'pino';
import { createOperatorCommands } from '../api/commands/operator-commands.ts';
import { keepHouse } from '../api/housekeeping.ts';
import { createProgressReader } from '../api/progress/heartbeats.ts';
import { startGateway } from '../api/server.ts';
import type { Config } from '../config.ts';
import { assertAvailable } from '../engine/availability.ts';
import { detectMediaType } from '../engine/detect.ts';
import { ENGINE_VERSION } from '../engine/version.ts';
import { createUrlSigner } from '../storage/signed-url.ts';
import { unpolledTaskQueues } from '../worker.ts';
import type { Ground } from './ground.ts';
import { serveOperator } from './operator/serve.ts';
import type { TemporalLink } from './temporal.ts';
import { VERSION } from './version.ts';

const CLOSE_GRACE_MS = 5_000;

/** Serves HTTP from this process. */
export async function openGateway(
  config: Config,
  ground: Ground,
  { client, namespace }: TemporalLink,
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  const operator = await serveOperator(
    ground.dataDir,
    createOperatorCommands({ ...ground, client, now: Date.now }),
    log,
  );
  const gateway = await startGateway(
    {
      ...ground,
      publicUrl: config.publicUrl,
      version: VERSION,
      engineVersion: ENGINE_VERSION,
      provider: 'local',
      log,
      now: Date.now,
      client,
      readProgress: createProgressReader(client),
      listen: (channel, callback) => ground.database.listen(channel, callback),
      storage: ground.store,
      signer: createUrlSigner({ secret: await ground.secrets.get('signed-urls'), now: Date.now }),
      detectMediaType,
      assertAllowedUrl: (url) => ground.safeFetch.assertAllowedUrl(url),
      assertAllowedEndpoint: (url) => ground.safeFetch.assertAllowedEndpoint(url),
      assertAvailable,
      ready: () => readiness(ground, client, namespace),
    },
    config,
  ).catch(async (error: unknown): Promise<never> => {
    await operator.close();
    throw error;
  });
  const stopHousekeeping = keepHouse({ ...ground, storage: ground.store, client, log, now: Date.now });
  return {
    async close() {
      await stopHousekeeping();
      await operator.close();
      await gateway.close(CLOSE_GRACE_MS);
    },
  };
}

/** One sentence for each thing that an upload needs and that is missing. */
async function readiness(ground: Ground, client: TemporalLink['client'], namespace: string) {
  const checks = await Promise.all([
    ground.database.ping().then(
      () => [],
      () => ['The database does not answer.'],
    ),
    unpolledTaskQueues(client, namespace).then(
      (queues) => queues.map((queue) => `No worker polls the task queue ${queue}.`),
      () => ['Temporal does not answer.'],
    ),
  ]);
  const problems = checks.flat();
  return { ready: problems.length === 0, problems };
}
