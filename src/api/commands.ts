import { createApiKeyCommands } from './api-keys/api-key-commands.ts';
import { createBatchCommands } from './batches/batch-commands.ts';
import { createEnhancementCommands } from './enhancements/enhancement-commands.ts';
import { createEstimateCommands } from './enhancements/estimate-command.ts';
import { createPresetCommands } from './presets/preset-commands.ts';
import { createResumableUploadCommands } from './resumable-uploads/resumable-upload-commands.ts';
import { createSettingsCommands } from './settings/settings-commands.ts';
import { createSignedUploadCommands } from './signed-uploads/signed-upload-commands.ts';
import { createTestClockCommands } from './testing/test-clock-commands.ts';
import { createUploadCommands } from './uploads/upload-commands.ts';
import { createWebhookCommands } from './webhooks/webhook-commands.ts';
import type { CommandDeps } from './commands/command-types.ts';

export type Commands = ReturnType<typeof createCommands>;

/**
 * The commands of both interfaces. A command starts or updates a workflow, or changes the account. It returns the
 * record in its current state, or throws a `Failure`.
 */
export function createCommands(deps: CommandDeps) {
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
    ...createApiKeyCommands(deps),
    ...createSettingsCommands(deps),
    ...createTestClockCommands(deps),
  };
}
