import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import type { Lifecycle } from './lifecycle.ts';

/** An image that is inspected among the large ones. */
async function largeImageScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  lifecycle.provider.script.isLarge = () => true;
  const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  lifecycle.provider.script = {};
  await handle.executeUpdate(deleteUpload);
  return { 'upload-of-a-large-image': handle.workflowId };
}

/** A small image that is inspected and enhanced by one activity, and one whose engine leaves the inspection to itself. */
async function smallImageScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  lifecycle.provider.script.together = true;
  const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
  await handle.executeUpdate(deleteUpload);
  lifecycle.provider.script.together = false;
  const other = await lifecycle.start({ enhancements: [{}] });
  await lifecycle.enhancementReaches(other.enhancementIds[0]!, 'FINISHED');
  await other.handle.executeUpdate(deleteUpload);
  return { 'upload-of-a-small-image': handle.workflowId, 'upload-inspected-by-itself': other.handle.workflowId };
}

export const imageScenarios = { largeImage: largeImageScenario, smallImage: smallImageScenario };
