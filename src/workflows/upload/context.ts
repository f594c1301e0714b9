import type { UploadSource } from '../../domain/upload/upload.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { Enhancements } from '../enhancement/enhancements.ts';
import type { WakeUps } from '../hosted/events.ts';
import type { UploadCommands } from './commands.ts';
import type { SignedFile } from './signed-file.ts';
import type { UploadTracker } from './upload-state.ts';

/** State and services that the steps of one upload share. */
export interface UploadContext {
  source: UploadSource;
  /** Set when the provider is, or was, `hosted` */
  hosted: HostedPolicy | undefined;
  tracker: UploadTracker;
  enhancements: Enhancements;
  commands: UploadCommands;
  signedFile: SignedFile;
  /** Counts the events of the hosted service about this upload */
  hostedEvents: WakeUps;
}
