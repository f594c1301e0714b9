import type { UploadSource } from '../../domain/upload/new-upload.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { Enhancements } from '../enhancement/enhancements.ts';
import type { WakeUps } from '../hosted/wait.ts';
import type { UploadCommands } from './upload-commands.ts';
import type { SignedFile } from './signed-file.ts';
import type { UploadTracker } from './upload-state.ts';

/** State and services that the steps of one upload share. */
export interface UploadContext {
  source: UploadSource;
  hosted: HostedPolicy | undefined;
  tracker: UploadTracker;
  enhancements: Enhancements;
  commands: UploadCommands;
  /** Null for an upload that waits for no file of a signed URL */
  signedFile: SignedFile | null;
  hostedEvents: WakeUps;
}
