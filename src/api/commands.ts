import { createEnhancementOperations } from './commands/enhancement-commands.ts';
import type { EnhancementCommands } from './commands/enhancement-commands.ts';
import { createUploadCommands } from './commands/create-upload.ts';
import type { CreateUpload } from './commands/create-upload.ts';
import type { CommandDeps } from './commands/types.ts';
import { createUploadOperations } from './commands/upload-commands.ts';
import type { UploadCommands } from './commands/upload-commands.ts';

export type Commands = CreateUpload & UploadCommands & EnhancementCommands;

/**
 * The one place where a request, in whatever language it came, becomes a start or an update of a workflow. Every
 * command answers with the record as it then stands, or throws a `Failure`.
 */
export function createCommands(deps: CommandDeps): Commands {
  return { ...createUploadCommands(deps), ...createUploadOperations(deps), ...createEnhancementOperations(deps) };
}
