import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Enhancement, EnhancementRequest, EnhancementStatus } from './enhancement.ts';
import type { ArrivedFile, Upload } from './upload.ts';

/** The workflow that owns an upload, by the upload's id. */
export const uploadWorkflowId = (uploadId: string): string => `upload/${uploadId}`;
/** The workflow that owns an enhancement, by the enhancement's id. */
export const enhancementWorkflowId = (enhancementId: string): string => `enhancement/${enhancementId}`;
/** The workflow that owns a webhook delivery, by the delivery's id. */
export const deliveryWorkflowId = (deliveryId: string): string => `delivery/${deliveryId}`;

/** Commands: each is refused by its validator with the code of a `Failure` as the error's type. */
export const requestEnhancement = defineUpdate<Enhancement, [EnhancementRequest]>('requestEnhancement');
export const analyzeAgain = defineUpdate<Upload>('analyzeAgain');
/** Answers once bytes and results are gone and the tombstone can be read. */
export const deleteUpload = defineUpdate<Upload>('deleteUpload');
/** A PUT to the signed URL has brought a file, and the upload takes it over. Of several, one is accepted. */
export const putFile = defineUpdate<Upload, [ArrivedFile]>('putFile');
/** The caller says that the file is there; answers once it has been checked, as UPLOAD_FAILED when it is not what was declared. */
export const completeUpload = defineUpdate<Upload>('completeUpload');

/** Ends an enhancement that waits for its upload; answers null when it does not wait (any more) and has a workflow of its own. */
export const cancelWaiting = defineUpdate<Enhancement | null, [{ enhancementId: string }]>('cancelWaiting');

export const approveEnhancement = defineUpdate<Enhancement>('approveEnhancement');
export const rejectEnhancement = defineUpdate<Enhancement>('rejectEnhancement');
/** Answers once the enhancement is CANCELLED and its credits are released; a no-op on a finished one. */
export const cancelEnhancement = defineUpdate<Enhancement>('cancelEnhancement');

/** Outside events: delivered at least once, in any order. */
export const creditsChanged = defineSignal('creditsChanged');
/** An event from the hosted service: it only wakes the workflow, which reads the state again. */
export const providerEvent = defineSignal<[{ eventId: string }]>('providerEvent');
/** From an enhancement to the upload that owns it, when it has reached a terminal status. */
export const enhancementSettled =
  defineSignal<[{ enhancementId: string; status: EnhancementStatus }]>('enhancementSettled');

export const uploadState = defineQuery<Upload>('uploadState');
export const enhancementState = defineQuery<Enhancement>('enhancementState');
