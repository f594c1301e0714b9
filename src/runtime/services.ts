import { join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { createAccountChanges } from '../database/accounts/account-changes.ts';
import { createAccounts } from '../database/accounts/accounts.ts';
import { createApiKeys } from '../database/accounts/api-keys.ts';
import { createAuditLog } from '../database/accounts/audit-log.ts';
import { createAccountDeletion } from '../database/accounts/account-deletion.ts';
import { createOperatorSessions } from '../database/accounts/operator-sessions.ts';
import { createPlans } from '../database/accounts/plans.ts';
import { createUsage } from '../database/accounts/usage.ts';
import { createChanges } from '../database/changes.ts';
import { createCreditLedger } from '../database/credits/credit-ledger.ts';
import { createDeliveries } from '../database/webhooks/deliveries.ts';
import { createEnhancements } from '../database/uploads/enhancements.ts';
import { createIdempotencyKeys } from '../database/uploads/idempotency-keys.ts';
import { createInstanceSecrets, createSigningKeys } from '../database/instance-secrets.ts';
import { createLifecycleSteps } from '../database/uploads/lifecycle-steps.ts';
import { createLeases } from '../database/leases.ts';
import { openDatabase } from '../database/open.ts';
import { createReconciliation, createUploads } from '../database/uploads/uploads.ts';
import { createHostedEvents } from '../database/hosted/hosted-events.ts';
import { createHostedIds } from '../database/hosted/hosted-ids.ts';
import { createHostedSlots } from '../database/hosted/hosted-slots.ts';
import { createHostedRetention } from '../database/hosted/hosted-retention.ts';
import { createSessions } from '../database/accounts/sessions.ts';
import { createSignInLinks } from '../database/accounts/sign-in-links.ts';
import { createStagedFiles, createUploadStarts } from '../database/uploads/upload-starts.ts';
import { createUploadPasswords } from '../database/uploads/upload-passwords.ts';
import { createWebhookEndpoints } from '../database/webhooks/webhook-endpoints.ts';
import { makePrivateFolder, narrowEntries, narrowTree } from '../database/private-folder.ts';
import { hostnameOf, parseAllowedHosts, portOf, type AllowedHost } from '../net/allowed-hosts.ts';
import { createSafeFetch } from '../net/safe-fetch.ts';
import { createVault } from '../secrets/key-ring.ts';
import { sealStoredSecrets } from '../database/seal-stored-secrets.ts';
import { openKeyRing } from './instance-keys.ts';
import { openObjectStore } from '../storage/open-object-store.ts';
import { namedStorage } from '../storage/storage-trouble.ts';
import { createStorageProbe } from './storage-probe.ts';

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens the services that gateway and workers share: the database and its stores, storage, and the SSRF-safe HTTP client. */
export async function openServices(config: Config, environment: NodeJS.ProcessEnv) {
  const dataDir = resolve(config.dataDir);
  await makePrivateFolder(dataDir);
  await narrowEntries(dataDir);
  await narrowTree(join(dataDir, 'temporal'));
  const database = await openDatabase({ dataDir, ...(config.databaseUrl === null ? {} : { url: config.databaseUrl }) });
  try {
    const keyRing = await openKeyRing(dataDir, config.encryptionKey);
    const vault = createVault(keyRing);
    await sealStoredSecrets(database, vault);
    const accounts = createAccounts(database, vault);
    const opened = await openObjectStore({
      storage: config.storage,
      s3: { publicUrl: config.storagePublicUrl, pathStyle: config.storagePathStyle },
      scratchDir: join(dataDir, 'transfer'),
      environment,
    });
    const store = namedStorage(opened);
    const allowedPrivateHosts = parseAllowedHosts(config.allowedPrivateHosts);
    return {
      dataDir,
      database,
      keyRing,
      vault,
      accounts,
      apiKeys: createApiKeys(database),
      uploads: createUploads(database),
      enhancements: createEnhancements(database),
      steps: createLifecycleSteps(database),
      plans: createPlans(database),
      deletion: createAccountDeletion(database),
      usage: createUsage(database),
      operatorSessions: createOperatorSessions(database),
      changes: createChanges(database),
      ledger: createCreditLedger(database),
      deliveries: createDeliveries(database, vault),
      webhookEndpoints: createWebhookEndpoints(database, vault),
      accountChanges: createAccountChanges(database, vault),
      audit: createAuditLog(database),
      stagedFiles: createStagedFiles(database),
      uploadStarts: createUploadStarts(database),
      uploadPasswords: createUploadPasswords(database, vault),
      leases: createLeases(database),
      reconciliation: createReconciliation(database),
      idempotencyKeys: createIdempotencyKeys(database),
      sessions: createSessions(database),
      signInLinks: createSignInLinks(database),
      hostedIds: createHostedIds(database),
      hostedEvents: createHostedEvents(database),
      hostedSlots: createHostedSlots(database),
      hostedRetention: createHostedRetention(database),
      secrets: createInstanceSecrets(database, vault),
      signingKeys: createSigningKeys(database, vault),
      store,
      probeStorage: createStorageProbe(store),
      /** For callers' URLs */
      safeFetch: createSafeFetch({ allowedPrivateHosts, withheld: config.hosted?.url }),
      /** For the hosted service, and for URLs in its responses */
      hostedFetch: createSafeFetch({ allowedPrivateHosts: [...allowedPrivateHosts, ...hostedHosts(config)] }),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The hosted service itself, and private hosts of URLs in its responses. */
function hostedHosts({ hosted }: Config): AllowedHost[] {
  if (hosted === null) return [];
  const url = new URL(hosted.url);
  return [{ hostname: hostnameOf(url), port: portOf(url) }, ...parseAllowedHosts(hosted.privateHosts)];
}
