import { createAccountCommands } from './commands/account-commands.ts';
import type { AccountCommands } from './commands/account-commands.ts';
import { createEnhancementOperations } from './commands/enhancement-commands.ts';
import type { EnhancementCommands } from './commands/enhancement-commands.ts';
import { createUploadCommands } from './commands/create-upload.ts';
import type { CreateUpload } from './commands/create-upload.ts';
import { createSignedUploadCommands } from './commands/signed-upload-commands.ts';
import type { SignedUploadCommands } from './commands/signed-upload-commands.ts';
import type { CommandDeps } from './commands/types.ts';
import { createUploadOperations } from './commands/upload-commands.ts';
import type { UploadCommands } from './commands/upload-commands.ts';
import { createWebhookCommands } from './commands/webhook-commands.ts';
import type { WebhookCommands } from './commands/webhook-commands.ts';

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
