import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { GATEWAY_LIMITS } from '../api/deps.ts';
import type { TemporalClient } from '../api/commands/command-types.ts';
import type { Config } from './config.ts';
import type { Database } from '../database/database.ts';
import { createStores } from '../database/stores.ts';
import { toHostname, parseAllowedHosts, toPort, type AllowedHost } from '../net/allowed-hosts.ts';
import { findJail } from '../sandbox/jail.ts';
import { rememberProgram } from '../sandbox/text/remember-program.ts';
import { findTextProgram } from '../sandbox/text/text-program.ts';
import { createSafeFetch } from '../net/safe-fetch.ts';
import { createVault } from '../secrets/key-ring.ts';
import { resealStoredSecrets } from '../database/reseal-stored-secrets.ts';
import { isOriginal } from '../domain/files/object-keys.ts';
import { openKeyRing } from './instance-keys.ts';
import type { Metrics } from './metrics.ts';
import { openObjectStore } from '../storage/open-object-store.ts';
import { markedStorage, watchMarker } from '../storage/marked-storage.ts';
import { namedStorage } from '../storage/storage-trouble.ts';
import { accountBucketOpener } from './open-account-buckets.ts';
import { createDatabaseProbe } from './database-probe.ts';
import { createStorageProbe } from './storage-probe.ts';

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens the services that gateway and workers share: the stores of the database, storage, and the SSRF-safe HTTP client. */
export async function openServices(
  config: Config,
  environment: NodeJS.ProcessEnv,
  log: Logger,
  { metrics, database }: { metrics: Pick<Metrics, 'damage'>; database: Database },
) {
  const dataDir = resolve(config.dataDir);
  const keyRing = await openKeyRing(dataDir, config.encryptionKey);
  const vault = createVault(keyRing);
  await resealStoredSecrets(database, vault);
  const opened = await openObjectStore({
    storage: config.storage,
    s3: { publicUrl: config.storagePublicUrl, pathStyle: config.storagePathStyle },
    scratchDir: join(dataDir, 'transfer'),
    environment,
    reportDamage: ({ key, expected, found }) => {
      metrics.damage.inc({ kind: isOriginal(key) ? 'original' : 'other' });
      log.error({ key, expected, found }, 'storage has damaged a file: its bytes do not match its record');
    },
  });
  const unmarkedStore = namedStorage(opened);
  const stores = createStores(database, vault);
  const expectedId = async (): Promise<string> => (await stores.storageMarkers.expected()).id;
  const storageMarker = watchMarker({ store: unmarkedStore, expectedId });
  const store = markedStorage(unmarkedStore, storageMarker);
  const allowedPrivateHosts = parseAllowedHosts(config.allowedPrivateHosts);
  const safeFetch = createSafeFetch({ allowedPrivateHosts, withheld: config.hosted?.url });
  return {
    dataDir,
    database,
    keyRing,
    vault,
    stores,
    store,
    /** Without the checks of the marker */
    unmarkedStore,
    storageMarker,
    probeStorage: createStorageProbe(store, storageMarker),
    probeDatabase: createDatabaseProbe(stores.leases),
    safeFetch,
    searchNames: config.searchNames,
    /** Looks for the program that reads text, on this machine */
    textProgram: rememberProgram(() => findTextProgram(config.tesseract, findJail(config.sandbox))),
    openBucket: accountBucketOpener(safeFetch),
    /** For the hosted service, and for URLs in its responses */
    hostedFetch: createSafeFetch({ allowedPrivateHosts: [...allowedPrivateHosts, ...hostedHosts(config)] }),
  };
}

/** What commands in the gateway and in workers use besides the stores. */
export function commandServices<C extends TemporalClient>(
  services: Services,
  { provider, hosted }: Pick<Config, 'provider' | 'hosted'>,
  client: C,
) {
  const { safeFetch, openBucket, searchNames, textProgram } = services;
  const { assertAllowedUrl, assertAllowedEndpoint } = safeFetch;
  return {
    storage: services.store,
    openBucket,
    searchNames,
    textProgram,
    client,
    provider,
    hosted,
    assertAllowedUrl,
    assertAllowedEndpoint,
    now: Date.now,
    commandWaitMs: GATEWAY_LIMITS.commandWaitMs,
  };
}

/** The hosted service itself, and private hosts of URLs in its responses. */
function hostedHosts({ hosted }: Config): AllowedHost[] {
  if (hosted === null) return [];
  const url = new URL(hosted.url);
  return [{ hostname: toHostname(url), port: toPort(url) }, ...parseAllowedHosts(hosted.privateHosts)];
}
