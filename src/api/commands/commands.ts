import { createApiKeyCommands } from '../api-keys/api-key-commands.ts';
import type { ApiKeyCommands } from '../api-keys/api-key-commands.ts';
import { createBatchCommands } from '../batches/batch-commands.ts';
import type { BatchCommands } from '../batches/batch-commands.ts';
import { createEnhancementCommands } from '../enhancements/enhancement-commands.ts';
import type { EnhancementCommands } from '../enhancements/enhancement-commands.ts';
import { createEstimateCommands } from '../enhancements/estimate-command.ts';
import type { EstimateCommands } from '../enhancements/estimate-command.ts';
import { createPresetCommands } from '../presets/preset-commands.ts';
import type { PresetCommands } from '../presets/preset-commands.ts';
import { createResumableUploadCommands } from '../resumable-uploads/resumable-upload-commands.ts';
import type { ResumableUploadCommands } from '../resumable-uploads/resumable-upload-commands.ts';
import { createSettingsCommands } from '../settings/settings-commands.ts';
import type { SettingsCommands } from '../settings/settings-commands.ts';
import { createSignedUploadCommands } from '../signed-uploads/signed-upload-commands.ts';
import type { SignedUploadCommands } from '../signed-uploads/signed-upload-commands.ts';
import { createTestClockCommands } from '../testing/test-clock.ts';
import type { TestClockCommands } from '../testing/test-clock.ts';
import { createUploadCommands } from '../uploads/upload-commands.ts';
import type { UploadCommands } from '../uploads/upload-commands.ts';
import { createListenerCommands } from '../webhooks/listener-commands.ts';
import type { ListenerCommands } from '../webhooks/listener-commands.ts';
import { createWebhookCommands } from '../webhooks/webhook-commands.ts';
import type { WebhookCommands } from '../webhooks/webhook-commands.ts';
import type { CommandDeps } from './command-types.ts';

export type Commands = UploadCommands &
  SignedUploadCommands &
  ResumableUploadCommands &
  EnhancementCommands &
  EstimateCommands &
  PresetCommands &
  BatchCommands &
  WebhookCommands &
  ListenerCommands &
  ApiKeyCommands &
  SettingsCommands &
  TestClockCommands;

/**
 * The commands of both interfaces. A command starts or updates a workflow, or changes the account. It returns the
 * record in its current state, or throws a `Failure`.
 */
export function createCommands(deps: CommandDeps): Commands {
  const estimates = createEstimateCommands(deps);
  return {
    ...createUploadCommands(deps),
    ...createSignedUploadCommands(deps),
    ...createResumableUploadCommands(deps),
    ...createEnhancementCommands(deps, estimates),
    ...estimates,
    ...createPresetCommands(deps),
    ...createBatchCommands(deps),
    ...createWebhookCommands(deps),
    ...createListenerCommands(deps),
    ...createApiKeyCommands(deps),
    ...createSettingsCommands(deps),
    ...createTestClockCommands(deps),
  };
}
