import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Enhancement, EnhancementRequest } from '../enhancement/enhancement.ts';
import type { ArrivedFile, Upload } from '../upload/upload.ts';

/** The workflow that owns an upload, by the upload's id. */
export const uploadWorkflowId = (uploadId: string): string => `upload/${uploadId}`;
/** The workflow that owns a webhook delivery, by the delivery's id. */
export const deliveryWorkflowId = (deliveryId: string): string => `delivery/${deliveryId}`;

/** Header of a start: the workflow takes only commands that have an encrypted argument. */
export const SEALED_COMMANDS_HEADER = 'burnish-sealed-commands';

/** Commands: each is refused by its validator with the code of a `Failure` as the error's type. */
export const requestEnhancement = defineUpdate<Enhancement, [EnhancementRequest]>('requestEnhancement');
export const analyzeAgain = defineUpdate<Upload>('analyzeAgain');
/** Answers once bytes and results are gone and the tombstone can be read. */
export const deleteUpload = defineUpdate<Upload>('deleteUpload');
/** A PUT to the signed URL has brought a file, and the upload takes it over. Of several, one is accepted. */
export const putFile = defineUpdate<Upload, [ArrivedFile]>('putFile');
/** A PUT to the signed URL has brought more bytes than were declared, which ends the upload; answers once it has failed. */
export const refuseLongFile = defineUpdate<Upload>('refuseLongFile');
/** The caller says that the file is there; answers once it has been checked, as UPLOAD_FAILED when it is not what was declared. */
export const completeUpload = defineUpdate<Upload>('completeUpload');

/** Which enhancement of the upload a command is about. */
export interface EnhancementSubject {
  enhancementId: string;
}

/** Commands about one enhancement answer its new state, or null when it is not open (any more): the record tells the rest. */
export const approveEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('approveEnhancement');
export const rejectEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('rejectEnhancement');
/** Answers once the enhancement is CANCELLED and its credits are released; one that is just ending ends as it does. */
export const cancelEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('cancelEnhancement');

/** Outside events: delivered at least once, in any order. They only wake the workflow, which reads the state again. */
export const creditsChanged = defineSignal('creditsChanged');
export interface HostedEvent {
  eventId: string;
  /** The enhancement that it is about; absent for the upload itself, and where the event does not say */
  enhancementId?: string;
}
export const hostedEvent = defineSignal<[HostedEvent]>('hostedEvent');

export const uploadState = defineQuery<Upload>('uploadState');
/** The enhancements that have not ended, oldest first. */
export const openEnhancements = defineQuery<Enhancement[]>('openEnhancements');

/**
 * Id of an engine activity within the workflow of its upload. The gateway knows by it to which enhancement the heartbeats of a
 * running activity belong.
 * @param step such as `enhance`
 */
export function engineActivityId(enhancementId: string, step: string): string {
  return `${enhancementId}/${step}`;
}

export function isActivityOf(enhancementId: string, activityId: string): boolean {
  return activityId.startsWith(`${enhancementId}/`);
}
