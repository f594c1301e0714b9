import type { Stores } from '../database/stores.ts';
import { createApiKeyCommands } from './api-keys/api-key-commands.ts';
import { createBatchCommands, type BatchCommandDeps } from './batches/batch-commands.ts';
import { createEnhancementCommands } from './enhancements/enhancement-commands.ts';
import { createEstimateCommands, type EstimateCommandDeps } from './enhancements/estimate-command.ts';
import { createLookCommands, type LookCommandDeps } from './looks/look-commands.ts';
import { createPresetCommands } from './presets/preset-commands.ts';
import { createResumableUploadCommands } from './resumable-uploads/resumable-upload-commands.ts';
import { createSettingsCommands } from './settings/settings-commands.ts';
import { createSignedUploadCommands, type SignedUploadCommandDeps } from './signed-uploads/signed-upload-commands.ts';
import { createTestClockCommands } from './test-clock/test-clock-commands.ts';
import { createUploadCommands, type UploadCommandDeps } from './uploads/upload-commands.ts';
import type { AcceptDeps } from './uploads/accept-upload.ts';
import { createWebhookCommands, type WebhookCommandDeps } from './webhooks/webhook-commands.ts';

export type Commands = ReturnType<typeof createCommands>;

/** What the commands use besides the stores. */
export type CommandServices = Omit<
  UploadCommandDeps &
    SignedUploadCommandDeps &
    EstimateCommandDeps &
    BatchCommandDeps &
    LookCommandDeps &
    WebhookCommandDeps,
  keyof Stores
>;

/**
 * The commands of both interfaces, each with what it uses. A command starts or updates a workflow, or changes the account.
 * It returns the record in its current state, or throws a `Failure`.
 */
export function createCommands(stores: Stores, services: CommandServices) {
  const { accountChanges, audit, batches, buckets, deliveries, destinationUrls, enhancements } = stores;
  const { idempotencyKeys, looks, presets, stagedFiles, uploadPasswords, uploads, uploadStarts } = stores;
  const { client, commandWaitMs, now, provider, hosted, publicUrl, searchNames, storage, signer } = services;
  const { assertAllowedUrl, assertAllowedEndpoint, openBucket, textProgram, engineWork, estimatePdf, lookBuilds } =
    services;
  const accepting: AcceptDeps = {
    ...{ buckets, destinationUrls, enhancements, idempotencyKeys, looks, presets, uploadPasswords, uploads },
    uploadStarts,
    ...{ assertAllowedUrl, client, hosted, now, provider, searchNames, textProgram },
  };
  const estimates = createEstimateCommands({
    uploads,
    enhancements,
    looks,
    presets,
    estimatePdf,
    engineWork,
    textProgram,
  });
  return {
    ...createUploadCommands({ ...accepting, audit, commandWaitMs, stagedFiles, storage }),
    ...createSignedUploadCommands({ ...accepting, commandWaitMs, publicUrl, signer, stagedFiles, storage }),
    ...createResumableUploadCommands({ ...accepting, commandWaitMs, uploadParts: stores.uploadParts }),
    ...createEnhancementCommands({ ...accepting, audit, commandWaitMs, usage: stores.usage }, estimates),
    ...estimates,
    ...createPresetCommands({ accountChanges, presets }),
    ...createLookCommands({ accountChanges, enhancements, lookBuilds, looks, uploads }),
    ...createBatchCommands({ ...accepting, audit, batches, commandWaitMs, openBucket }),
    ...createWebhookCommands({
      ...{ accountChanges, audit, deliveries, idempotencyKeys, webhookEndpoints: stores.webhookEndpoints },
      ...{ assertAllowedEndpoint, client, now },
    }),
    ...createApiKeyCommands({ accountChanges, apiKeys: stores.apiKeys, now }),
    ...createSettingsCommands({ accountChanges, accounts: stores.accounts }),
    ...createTestClockCommands({ client, idempotencyKeys, deletion: stores.deletion, deliveries }),
  };
}
