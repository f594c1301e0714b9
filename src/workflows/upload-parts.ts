import type { SourceFile } from '../activities/provider/provider.ts';
import type { UploadSource } from '../domain/upload.ts';
import type { HostedPolicy } from '../domain/workflow-inputs.ts';
import type { EnhancementSupervisor } from './enhancement-supervisor.ts';
import type { WakeUps } from './provider-events.ts';
import type { SignedFile } from './signed-file.ts';
import type { UploadCommands } from './upload-commands.ts';
import type { UploadTracker } from './upload-state.ts';

/** What the steps of an upload work with. */
export interface UploadParts {
  source: UploadSource;
  /** Where the provider is, or was, `hosted` */
  hosted: HostedPolicy | undefined;
  tracker: UploadTracker;
  supervisor: EnhancementSupervisor;
  commands: UploadCommands;
  signedFile: SignedFile;
  providerEvents: WakeUps;
}

/** The file that is in storage, for work on it. */
export function sourceFileOf({ tracker: { state } }: Pick<UploadParts, 'tracker'>): SourceFile {
  const { id, objectKey, originalFilename, file } = state;
  if (objectKey === null || file === null) throw new TypeError('An upload that is worked on has a file.');
  return { uploadId: id, objectKey, mimetype: file.mimetype, originalFilename };
}
