import type { Logger } from 'pino';
import { createProgressReader } from '../api/progress/heartbeats.ts';
import { startGateway, type Gateway } from '../api/server.ts';
import { sweepStagedFiles } from '../api/sweep-staged-files.ts';
import type { Config } from '../config.ts';
import { assertAvailable } from '../engine/availability.ts';
import { detectMediaType } from '../engine/detect.ts';
import { createUrlSigner } from '../storage/signed-url.ts';
import { unpolledTaskQueues } from '../worker.ts';
import type { Ground } from './ground.ts';
import type { TemporalLink } from './temporal.ts';
import { VERSION } from './version.ts';

/** No request takes as long as this; what was staged for one before that belongs to a crash. */
const STAGED_FILES_AGE_MS = 24 * 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
const CLOSE_GRACE_MS = 5_000;

/** Serves HTTP from this process. */
export async function openGateway(
  config: Config,
  ground: Ground,
  { client, namespace }: TemporalLink,
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  const gateway: Gateway = await startGateway(
    {
      ...ground,
      publicUrl: config.publicUrl,
      version: VERSION,
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
      assertAvailable,
      ready: () => readiness(ground, client, namespace),
    },
    config,
  );
  const sweep = (): void => {
    sweepStagedFiles({ ...ground, storage: ground.store, client }, STAGED_FILES_AGE_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'staged files could not be swept'),
    );
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_EVERY_MS);
  return {
    async close() {
      clearInterval(sweeping);
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
