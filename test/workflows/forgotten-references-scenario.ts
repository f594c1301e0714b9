import { deleteUpload, requestEnhancements } from '../../src/domain/temporal/workflow-interface.ts';
import type { Lifecycle } from './lifecycle.ts';

/** An upload with a reference of its caller, which its end removes from the lists of workflows. */
export async function forgottenReferencesScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  const { id, handle } = await lifecycle.start();
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  const request = { id: 'enh_withreference0000000000000', parameters: {}, maxCredits: null, creditWaitMs: 0 };
  await handle.executeUpdate(requestEnhancements, { args: [[{ ...request, reference: 'order-4711' }]] });
  await lifecycle.enhancementReaches(request.id, 'FINISHED');
  await handle.executeUpdate(deleteUpload);
  await handle.result();
  return { 'upload-with-reference-then-deleted': handle.workflowId };
}
