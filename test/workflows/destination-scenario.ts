import type { DestinationStatus, Enhancement } from '@burnish/contract';
import { deleteUpload } from '../../src/domain/temporal/workflow-interface.ts';
import { until } from '../support/until.ts';
import type { Lifecycle } from './lifecycle.ts';
import { startReceiver } from './receiver.ts';

/** Lets time pass until a destination has this status. */
export const destinationReaches = (
  lifecycle: Lifecycle,
  enhancementId: string,
  status: DestinationStatus,
): Promise<Enhancement> => lifecycle.timeBrings(enhancementId, ({ destination }) => destination?.status === status);

/** Histories of destinations: one that comes back, one that refuses, and one that is deleted while it is pending. */
export async function destinationScenario(lifecycle: Lifecycle): Promise<Record<string, string>> {
  await using receiver = await startReceiver([503, 200, 403]);
  const destination = { url: receiver.url };
  const delivered = await lifecycle.start({ enhancements: [{ destination }] });
  await destinationReaches(lifecycle, delivered.enhancementIds[0]!, 'DELIVERED');
  await delivered.handle.executeUpdate(deleteUpload);
  const refused = await lifecycle.start({ enhancements: [{ destination }] });
  await destinationReaches(lifecycle, refused.enhancementIds[0]!, 'FAILED');
  await refused.handle.executeUpdate(deleteUpload);
  await using away = await startReceiver([503]);
  const deleted = await lifecycle.start({ enhancements: [{ destination: { url: away.url } }] });
  // The test server loses a workflow task that cancels an activity as it ends, so the deletion comes between two attempts.
  await until(
    () => lifecycle.findEnhancement(deleted.enhancementIds[0]!),
    ({ waitingFor }) => waitingFor === 'destination',
  );
  await deleted.handle.executeUpdate(deleteUpload);
  return {
    'upload-destination-delivered': delivered.handle.workflowId,
    'upload-destination-refused': refused.handle.workflowId,
    'upload-destination-deleted': deleted.handle.workflowId,
  };
}
