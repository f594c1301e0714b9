import '../../setup/quiet-temporal.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ApplicationFailure } from '@temporalio/common';
import { join } from 'node:path';

import { newId, type MediaType } from '@burnish/contract';
import type { HostedDeps } from '../../../src/activities/hosted/deps.ts';
import { createHostedActivities } from '../../../src/activities/hosted/index.ts';
import type { HostedService } from '../../../src/activities/hosted/hosted-service.ts';
import { toTemporalFailure } from '../../../src/activities/failure.ts';
import { createLocalProvider } from '../../../src/activities/provider/local.ts';
import { createHostedEvents } from '../../../src/database/hosted/hosted-events.ts';
import { createHostedIds } from '../../../src/database/hosted/hosted-ids.ts';
import { createEnhancements } from '../../../src/database/uploads/enhancements.ts';
import { createHostedSlots } from '../../../src/database/hosted/hosted-slots.ts';
import { createHostedRetention } from '../../../src/database/hosted/hosted-retention.ts';
import { originalKey } from '../../../src/domain/files/object-keys.ts';
import { detectMediaType } from '../../../packages/engine/src/detect.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { createCircuit } from '../../../src/hosted/circuit.ts';
import { createCall } from '../../../src/hosted/client.ts';
import { createHostedApi } from '../../../src/hosted/service.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../../src/net/safe-fetch.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { FarSide } from '../../hosted/second-instance.ts';
import type { Input } from '../../../src/activities/inputs/schemas.ts';

export const ACCOUNT = `acc_${'1'.repeat(26)}`;

export interface NearActivities {
  /** Runs an activity like Temporal: with a context, and with its error converted to a failure of Temporal */
  run: { [K in keyof HostedService]: (job?: Parameters<HostedService[K]>[0]) => ReturnType<HostedService[K]> };
  /** Runs an activity that must fail, and returns its failure */
  fails<K extends keyof HostedService>(name: K, job?: Parameters<HostedService[K]>[0]): Promise<ApplicationFailure>;
  deps: HostedDeps;
  events: ReturnType<typeof createHostedEvents>;
  /** Stores a file in the storage of the local instance, and returns the job of its transfer */
  stored(file: Buffer, mimetype: MediaType): Promise<Input<'placeRemoteUpload'>>;
  newEnhancementId(): string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Hosted activities of a local instance without a worker. They have their own storage, database and engine. */
export async function nearActivities(far: FarSide, overrides: Partial<HostedDeps> = {}): Promise<NearActivities> {
  const folder = await temporaryFolder();
  const database = await openTestDatabase();
  const store = await openFilesystemStore(join(folder.path, 'files'));
  const sandbox = createSandbox({ concurrency: 1 });
  const safeFetch = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
  const { BURNISH_HOSTED_URL: baseUrl, BURNISH_HOSTED_API_KEY: apiKey } = far.settings;
  const call = createCall({ baseUrl, apiKey, send: safeFetch.exchange, circuit: createCircuit({ threshold: 1_000 }) });
  const events = createHostedEvents(database);
  const deps: HostedDeps = {
    hostedApi: createHostedApi(call),
    hostedIds: createHostedIds(database),
    hostedEvents: events,
    hostedSlots: createHostedSlots(database),
    enhancements: createEnhancements(database),
    hostedRetention: createHostedRetention(database),
    store,
    detect: detectMediaType,
    inspector: createLocalProvider({ sandbox, store, scratchDir: folder.path, engineVersion: 'test' }),
    safeFetch,
    parallel: 2,
    log: { warn: () => undefined },
    ...overrides,
  };
  const activities = createHostedActivities(deps);

  async function runOne(name: keyof HostedService, job: unknown): Promise<unknown> {
    const environment = new MockActivityEnvironment();
    try {
      return await environment.run(activities[name] as (given: unknown) => Promise<unknown>, job);
    } catch (error) {
      throw toTemporalFailure(error, environment.context, { error: (facts) => console.error(facts) });
    }
  }
  const names = Object.keys(activities) as (keyof HostedService)[];
  return {
    run: Object.fromEntries(names.map((name) => [name, (job?: unknown) => runOne(name, job)])) as NearActivities['run'],
    fails: (name, job) =>
      runOne(name, job).then(
        () => {
          throw new Error('no failure');
        },
        (error: ApplicationFailure) => error,
      ),
    deps,
    events,
    async stored(file, mimetype) {
      const uploadId = newId('upl', Date.now());
      const objectKey = originalKey(ACCOUNT, uploadId);
      const { sha256, size } = await store.put(
        objectKey,
        (async function* () {
          yield file;
        })(),
        { maxBytes: file.length },
      );
      const source = { uploadId, objectKey, mimetype, originalFilename: 'holiday.jpeg', size, sha256 };
      return { accountId: ACCOUNT, source, size: file.length, url: null, retentionDays: 30 };
    },
    newEnhancementId: () => newId('enh', Date.now()),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
