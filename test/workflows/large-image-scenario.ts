import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import type { Lifecycle } from './lifecycle.ts';

/** An image that is inspected among the large ones. */
export async function largeImageScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  lifecycle.provider.script.isLarge = () => true;
  const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  lifecycle.provider.script = {};
  await handle.executeUpdate(deleteUpload);
  return { 'upload-of-a-large-image': handle.workflowId };
}
