import type { Vault } from '../secrets/key-ring.ts';
import { createAccountChanges } from './accounts/account-changes.ts';
import { createAccountDeletion } from './accounts/account-deletion.ts';
import { createAccountStorage } from './accounts/account-storage.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createApiKeys } from './accounts/api-keys.ts';
import { createAuditLog } from './accounts/audit-log.ts';
import { createOperatorSessions } from './accounts/operator-sessions.ts';
import { createBuckets } from './accounts/buckets.ts';
import { createLooks } from './accounts/looks.ts';
import { createNexusEndpoints } from './accounts/nexus-endpoints.ts';
import { createPlans } from './accounts/plans.ts';
import { createPresets } from './accounts/presets.ts';
import { createSessions } from './accounts/sessions.ts';
import { createSignInLinks } from './accounts/sign-in-links.ts';
import { createUsage } from './accounts/usage.ts';
import { createChanges } from './changes.ts';
import { createCreditLedger } from './credits/credit-ledger.ts';
import { createBatches } from './batches/batches.ts';
import { createBatchItems } from './batches/batch-items.ts';
import type { Database } from './database.ts';
import { createHostedEvents } from './hosted/hosted-events.ts';
import { createHostedIds } from './hosted/hosted-ids.ts';
import { createHostedRetention } from './hosted/hosted-retention.ts';
import { createHostedSlots } from './hosted/hosted-slots.ts';
import { createInstanceSecrets, createSigningKeys } from './instance-secrets.ts';
import { createLeases } from './leases.ts';
import { createPayloadKeys } from './payload-keys.ts';
import { createStateCounts } from './state-counts.ts';
import { createStorageMarkers } from './storage-markers.ts';
import { createDestinationUrls } from './uploads/destination-urls.ts';
import { createEnhancements } from './uploads/enhancements.ts';
import { createErasure } from './uploads/erase-uploads.ts';
import { createIdempotencyKeys } from './uploads/idempotency-keys.ts';
import { createLifecycleSteps } from './uploads/lifecycle-steps.ts';
import { createUploadPasswords } from './uploads/upload-passwords.ts';
import { createUploadStarts } from './uploads/upload-starts.ts';
import { createStagedFiles } from './uploads/staged-files.ts';
import { createReconciliation } from './uploads/reconciliation.ts';
import { createStoredFiles } from './uploads/stored-files.ts';
import { createUploadParts } from './uploads/upload-parts.ts';
import { createUploads } from './uploads/uploads.ts';
import { createDeliveries } from './webhooks/deliveries.ts';
import { createWebhookEndpoints } from './webhooks/webhook-endpoints.ts';
import { createEventLog } from './webhooks/event-log.ts';

export type Stores = ReturnType<typeof createStores>;

/**
 * Creates every store of a database.
 * @param now milliseconds since the epoch
 */
export function createStores(database: Database, vault: Vault, now: () => number = Date.now) {
  return {
    accountChanges: createAccountChanges(database, vault, now),
    accountStorage: createAccountStorage(database),
    accounts: createAccounts(database, vault, now),
    apiKeys: createApiKeys(database, now),
    audit: createAuditLog(database, now),
    batches: createBatches(database, vault, now),
    batchItems: createBatchItems(database, vault, now),
    buckets: createBuckets(database, vault, now),
    changes: createChanges(database),
    deletion: createAccountDeletion(database),
    destinationUrls: createDestinationUrls(database, vault, now),
    deliveries: createDeliveries(database, vault, now),
    enhancements: createEnhancements(database, now),
    hostedEvents: createHostedEvents(database, now),
    hostedIds: createHostedIds(database, now),
    hostedRetention: createHostedRetention(database, now),
    hostedSlots: createHostedSlots(database, now),
    idempotencyKeys: createIdempotencyKeys(database, now),
    leases: createLeases(database, now),
    ledger: createCreditLedger(database),
    looks: createLooks(database, now),
    nexusEndpoints: createNexusEndpoints(database, now),
    operatorSessions: createOperatorSessions(database, now),
    payloadKeys: createPayloadKeys(database, now),
    plans: createPlans(database),
    presets: createPresets(database, now),
    reconciliation: createReconciliation(database),
    secrets: createInstanceSecrets(database, vault, now),
    sessions: createSessions(database, now),
    signInLinks: createSignInLinks(database, now),
    signingKeys: createSigningKeys(database, vault, now),
    stagedFiles: createStagedFiles(database, now),
    storedFiles: createStoredFiles(database),
    stateCounts: createStateCounts(database),
    storageMarkers: createStorageMarkers(database, now),
    steps: createLifecycleSteps(database, vault, now),
    uploadParts: createUploadParts(database, vault, now),
    uploadPasswords: createUploadPasswords(database, vault, now),
    uploadStarts: createUploadStarts(database, vault, now),
    uploads: createUploads(database, vault, now),
    usage: createUsage(database),
    webhookEndpoints: createWebhookEndpoints(database, vault, now),
    erasure: createErasure(database, now),
    eventLog: createEventLog(database, now),
  };
}
