import type { StoredFile, UploadSource } from '../../domain/upload/upload.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { Enhancements } from '../enhancement/enhancements.ts';
import type { WakeUps } from '../hosted/wait.ts';
import type { UploadCommands } from './upload-commands.ts';
import type { UploadTracker } from './upload-state.ts';

/** State and services that the steps of one upload share. */
export interface UploadContext {
  source: UploadSource;
  hosted: HostedPolicy | undefined;
  tracker: UploadTracker;
  enhancements: Enhancements;
  commands: UploadCommands;
  signedFile: SignedFile;
  hostedEvents: WakeUps;
}

/**
 * The file of an upload with a signed URL. The upload accepts it once the caller completes the upload. Until then, the file
 * arrives with one PUT through the gateway, or the caller puts it directly into storage.
 */
export interface SignedFile {
  /**
   * Waits until the caller completes the upload or the URL expires, then compares the file with the declared size and type.
   * @throws Failure UPLOAD_MISMATCH; SIGNED_URL_EXPIRED
   */
  wait(): Promise<StoredFile>;
  /** Rejects any further file. Returns when no file is still being moved to the upload's key. */
  close(): Promise<void>;
}
