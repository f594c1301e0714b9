import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { HostedPolicy, UploadInput } from '../../domain/temporal/workflow-interface.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import { followClock } from '../../test-accounts/workflow-clock.ts';
import { createEnhancements, type Enhancements, type Fulfil } from '../enhancement/enhancements.ts';
import type { WakeUps } from '../hosted/wait.ts';
import type { CarriedUpload } from './carried-upload.ts';
import { expectSignedFile, refuseSignedFile, type SignedFile } from './signed-file.ts';
import { acceptUploadCommands, listenForSignals, type UploadCommands } from './upload-commands.ts';
import { trackUpload, type UploadTracker } from './upload-state.ts';

/** State and services that the steps of one upload share. */
export interface UploadContext {
  input: UploadInput;
  source: UploadSource;
  hosted: HostedPolicy | undefined;
  tracker: UploadTracker;
  enhancements: Enhancements;
  commands: UploadCommands;
  /** Null for an upload that waits for no file of a signed URL */
  signedFile: SignedFile | null;
  hostedEvents: WakeUps;
  /** A deletion cancels it */
  scope: CancellationScope;
}

/** Takes over the state of an upload, and listens for its commands and signals, before anything is awaited. */
export function openUpload(input: UploadInput, carried: CarriedUpload, fulfil: Fulfil): UploadContext {
  const { initial, source, plan, hosted } = input;
  const tracker = trackUpload(initial, carried.timeline);
  const signals = listenForSignals();
  followClock();
  const enhancements = createEnhancements({
    upload: tracker,
    plan,
    hosted,
    carried: carried.enhancements,
    getWakeUps: signals.about,
    fulfil,
  });
  const scope = new CancellationScope();
  const signedFile = source.kind === 'signed' ? expectSignedFile(tracker, source) : null;
  if (signedFile === null) refuseSignedFile();
  const commands = acceptUploadCommands(tracker.state, source, plan, enhancements, () => scope.cancel());
  const { state } = tracker;
  if (state.status === 'UPLOAD_PROCESSING' && state.revision === 0) state.startedAt = startTime(state.startedAt);
  return { input, source, hosted, tracker, enhancements, commands, signedFile, hostedEvents: signals.hosted, scope };
}

/** Time in milliseconds within which Temporal starts the workflow of a record, when both have the same clock. */
const START_MS = 1_000;

/**
 * The start of a new upload. A gateway records it, and its clock may differ from Temporal's, which tells the end. The duration
 * is the time between, so a start of another clock is replaced by the start of the workflow.
 */
function startTime(recorded: string | null): string {
  const { startTime: started } = workflowInfo();
  const isSameClock = Math.abs(started.getTime() - (Date.parse(recorded ?? '') || 0)) < START_MS;
  return isSameClock ? recorded! : started.toISOString();
}
