import { join, resolve } from 'node:path';
import { allOperatorCommands, type AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import type { Config } from '../../runtime/config.ts';
import { createAccountChanges } from '../../database/accounts/account-changes.ts';
import { createAccountDeletion } from '../../database/accounts/account-deletion.ts';
import { createAccounts } from '../../database/accounts/accounts.ts';
import { createApiKeys } from '../../database/accounts/api-keys.ts';
import { createAuditLog } from '../../database/accounts/audit-log.ts';
import { createBuckets } from '../../database/accounts/buckets.ts';
import { createNexusEndpoints } from '../../database/accounts/nexus-endpoints.ts';
import { createPlans } from '../../database/accounts/plans.ts';
import { createAccountStorage } from '../../database/accounts/account-storage.ts';
import { createUsage } from '../../database/accounts/usage.ts';
import { createCreditLedger } from '../../database/credits/credit-ledger.ts';
import { createStorageMarkers } from '../../database/storage-markers.ts';
import { createEnhancements } from '../../database/uploads/enhancements.ts';
import { createStoredFiles } from '../../database/uploads/stored-files.ts';
import { createInstanceSecrets, createSigningKeys } from '../../database/instance-secrets.ts';
import { createPayloadKeys } from '../../database/payload-keys.ts';
import { resealStoredSecrets } from '../../database/reseal-stored-secrets.ts';
import { openDatabase } from '../../database/open.ts';
import { createSignInLinks } from '../../database/accounts/sign-in-links.ts';
import { connectionSettings } from '../../temporal/connection-settings.ts';
import { parseAllowedHosts } from '../../net/allowed-hosts.ts';
import { createSafeFetch } from '../../net/safe-fetch.ts';
import { accountBucketOpener } from '../../runtime/open-account-buckets.ts';
import { fleetCommands } from '../../runtime/fleet.ts';
import { loadOperatorKey } from '../../runtime/operator-key.ts';
import { linkTemporal, type LinkOptions, type TemporalLink } from '../../runtime/temporal.ts';
import { openKeyRing } from '../../runtime/instance-keys.ts';
import { createVault } from '../../secrets/key-ring.ts';
import { markedStorage, watchMarker } from '../../storage/marked-storage.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openObjectStore } from '../../storage/open-object-store.ts';
import { namedStorage } from '../../storage/storage-trouble.ts';
import { callOperator } from './call.ts';

export interface OperatorConnection {
  commands: AllOperatorCommands;
  close(): Promise<void>;
}

/**
 * Gives access to the operator's commands. The instance that runs on the data folder executes them. Without one, this
 * process executes them on the database itself; an embedded database allows one process.
 * @throws StartupError in one sentence
 */
export async function connectOperator(
  options: Omit<LinkOptions, 'keyRing' | 'secrets' | 'payloadKeys'>,
): Promise<OperatorConnection> {
  const { config } = options;
  const running = await callOperator(config.dataDir);
  if (running !== undefined) return { commands: running, close: () => Promise.resolve() };

  const database = await openDatabase(toDatabaseOptions(config));
  try {
    const keyRing = await openKeyRing(config.dataDir, config.encryptionKey);
    const vault = createVault(keyRing);
    await resealStoredSecrets(database, vault);
    const secrets = createInstanceSecrets(database, vault);
    const temporal = await reachTemporal({ ...options, keyRing, secrets, payloadKeys: createPayloadKeys(database) });
    let storage: ReturnType<typeof openStore> | undefined;
    const allowedPrivateHosts = parseAllowedHosts(config.allowedPrivateHosts);
    const commands = allOperatorCommands({
      accounts: createAccounts(database, vault),
      accountChanges: createAccountChanges(database, vault),
      plans: createPlans(database),
      deletion: createAccountDeletion(database),
      usage: createUsage(database),
      accountStorage: createAccountStorage(database),
      apiKeys: createApiKeys(database),
      ledger: createCreditLedger(database),
      enhancements: createEnhancements(database),
      signInLinks: createSignInLinks(database),
      audit: createAuditLog(database),
      signingKeys: createSigningKeys(database, vault),
      operatorKey: await loadOperatorKey(config, { secrets }),
      publicUrl: config.publicUrl,
      nexusEndpoints: createNexusEndpoints(database),
      buckets: createBuckets(database, vault),
      storedFiles: createStoredFiles(database),
      openStore: () => (storage ??= openStore(options, database)),
      openBucket: accountBucketOpener(createSafeFetch({ allowedPrivateHosts, withheld: config.hosted?.url })),
      client: temporal?.client,
      fleet:
        temporal && fleetCommands({ ...temporal, hosted: config.hosted !== null, deployment: config.workerDeployment }),
      temporal: temporal && { namespace: temporal.namespace, connection: temporal.client.connection },
      now: Date.now,
    });
    return {
      commands,
      async close() {
        await temporal?.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Storage with the marker of the instance, for commands that read files. */
async function openStore(
  { config, environment }: Pick<LinkOptions, 'config' | 'environment'>,
  database: Parameters<typeof createStorageMarkers>[0],
): Promise<ObjectStore> {
  const store = namedStorage(
    await openObjectStore({
      storage: config.storage,
      s3: { publicUrl: config.storagePublicUrl, pathStyle: config.storagePathStyle },
      scratchDir: join(resolve(config.dataDir), 'transfer'),
      environment,
    }),
  );
  const markers = createStorageMarkers(database);
  return markedStorage(store, watchMarker({ store, expectedId: async () => (await markers.expected()).id }));
}

function toDatabaseOptions({ dataDir, databaseUrl }: Config): Parameters<typeof openDatabase>[0] {
  return { dataDir, ...(databaseUrl === null ? {} : { url: databaseUrl }) };
}

/** Signals waiting workflows of other processes; without a shared Temporal server there are none. */
async function reachTemporal(options: LinkOptions): Promise<TemporalLink | undefined> {
  if (connectionSettings(options.environment) === undefined) return undefined;
  return linkTemporal(options);
}
