import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { createAccountChanges } from '../database/account-changes.ts';
import { createAccounts } from '../database/accounts.ts';
import { createApiKeys } from '../database/api-keys.ts';
import { createChanges } from '../database/changes.ts';
import { createCreditLedger } from '../database/credit-ledger.ts';
import { createDeliveries } from '../database/deliveries.ts';
import { createEnhancements } from '../database/enhancements.ts';
import { createIdempotencyKeys } from '../database/idempotency-keys.ts';
import { createInstanceSecrets } from '../database/instance-secrets.ts';
import { createLifecycleSteps } from '../database/lifecycle-steps.ts';
import { createLeases } from '../database/leases.ts';
import { openDatabase } from '../database/open.ts';
import { createReconciliation } from '../database/reconciliation.ts';
import { createRemoteEvents } from '../database/remote-events.ts';
import { createRemoteIds } from '../database/remote-ids.ts';
import { createRemotePlaces } from '../database/remote-places.ts';
import { createRemoteRetention } from '../database/remote-retention.ts';
import { createSessions } from '../database/sessions.ts';
import { createSignInLinks } from '../database/sign-in-links.ts';
import { createStagedFiles } from '../database/staged-files.ts';
import { createUploadStarts } from '../database/upload-starts.ts';
import { createUploads } from '../database/uploads.ts';
import { createWebhookEndpoints } from '../database/webhook-endpoints.ts';
import { makePrivateFolder } from '../database/private-folder.ts';
import { parseAllowedHosts } from '../net/allowed-hosts.ts';
import { createSafeFetch } from '../net/safe-fetch.ts';
import { openObjectStore } from '../storage/open-object-store.ts';
import { namedStorage } from '../storage/storage-trouble.ts';
import { storageLook } from './storage-look.ts';

export type Ground = Awaited<ReturnType<typeof openGround>>;

/** Opens what gateway and workers both stand on: the database with everything in it, storage, the way out. */
export async function openGround(config: Config, environment: NodeJS.ProcessEnv) {
  const dataDir = resolve(config.dataDir);
  await makePrivateFolder(dataDir);
  const database = await openDatabase({ dataDir, ...(config.databaseUrl === null ? {} : { url: config.databaseUrl }) });
  try {
    const accounts = createAccounts(database);
    const opened = await openObjectStore({
      storage: config.storage,
      s3: { publicUrl: config.storagePublicUrl, pathStyle: config.storagePathStyle },
      scratchDir: join(dataDir, 'transfer'),
      environment,
    });
    const store = namedStorage(opened);
    return {
      dataDir,
      database,
      accounts,
      apiKeys: createApiKeys(database),
      uploads: createUploads(database),
      enhancements: createEnhancements(database),
      steps: createLifecycleSteps(database),
      changes: createChanges(database),
      ledger: createCreditLedger(database),
      deliveries: createDeliveries(database),
      webhookEndpoints: createWebhookEndpoints(database),
      accountChanges: createAccountChanges(database),
      stagedFiles: createStagedFiles(database),
      uploadStarts: createUploadStarts(database),
      leases: createLeases(database),
      reconciliation: createReconciliation(database),
      idempotencyKeys: createIdempotencyKeys(database),
      sessions: createSessions(database),
      signInLinks: createSignInLinks(database),
      remoteIds: createRemoteIds(database),
      remoteEvents: createRemoteEvents(database),
      remotePlaces: createRemotePlaces(database),
      remoteRetention: createRemoteRetention(database),
      secrets: createInstanceSecrets(database),
      store,
      lookAtStorage: storageLook(store),
      safeFetch: createSafeFetch({ allowedPrivateHosts: parseAllowedHosts(config.allowedPrivateHosts) }),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
