import { createAccountCommands } from '../api-keys/api-key-commands.ts';
import type { AccountCommands } from '../api-keys/api-key-commands.ts';
import { createEnhancementOperations } from '../enhancements/enhancement-commands.ts';
import type { EnhancementCommands } from '../enhancements/enhancement-commands.ts';
import { createUploadCommands } from '../uploads/create-upload-commands.ts';
import type { CreateUpload } from '../uploads/create-upload-commands.ts';
import { createSignedUploadCommands } from '../signed-uploads/signed-upload-commands.ts';
import type { SignedUploadCommands } from '../signed-uploads/signed-upload-commands.ts';
import type { CommandDeps } from './command-types.ts';
import { createUploadOperations } from '../uploads/upload-commands.ts';
import type { UploadCommands } from '../uploads/upload-commands.ts';
import { createWebhookCommands } from '../webhooks/webhook-commands.ts';
import type { WebhookCommands } from '../webhooks/webhook-commands.ts';

export type Commands = CreateUpload &
  SignedUploadCommands &
  UploadCommands &
  EnhancementCommands &
  WebhookCommands &
  AccountCommands;

/**
 * The one place where a request, in whatever language it came, becomes a start or an update of a workflow. Every
 * command answers with the record as it then stands, or throws a `Failure`.
 */
export function createCommands(deps: CommandDeps): Commands {
  return {
    ...createUploadCommands(deps),
    ...createSignedUploadCommands(deps),
    ...createUploadOperations(deps),
    ...createEnhancementOperations(deps),
    ...createWebhookCommands(deps),
    ...createAccountCommands(deps),
  };
}
