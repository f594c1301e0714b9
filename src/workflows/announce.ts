import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { EventKind } from '../domain/events.ts';
import { deliveryWorkflowId } from '../domain/messages.ts';
import { accountIdAttribute, typeAttribute } from '../domain/search-attributes.ts';
import { recordEvent } from './activities.ts';
import { delivery } from './delivery.ts';

export interface Announcement {
  accountId: string;
  kind: EventKind;
  data: Record<string, unknown>;
  /** Address that the upload brought along; null for none */
  webhookUrl: string | null;
  /** Sets this event apart from every other of this workflow, such as the revision of the state that it tells of */
  occasion: string;
}

/**
 * Records an event once and starts a delivery workflow for each receiver. The deliveries outlive the announcing
 * workflow, so that a dead receiver holds up nothing.
 */
export function announce(news: Announcement): Promise<void> {
  // What has happened is told, also when the work that it happened to is cancelled at this very moment.
  return CancellationScope.nonCancellable(() => tell(news));
}

async function tell(news: Announcement): Promise<void> {
  const deliveries = await recordEvent({
    source: workflowInfo().workflowId,
    occasion: news.occasion,
    accountId: news.accountId,
    kind: news.kind,
    data: news.data,
    created: new Date().toISOString(),
    webhookUrl: news.webhookUrl,
  });
  await Promise.all(
    deliveries.map(async ({ deliveryId, host }) => {
      try {
        await startChild(delivery, {
          workflowId: deliveryWorkflowId(deliveryId),
          args: [{ deliveryId, accountId: news.accountId, host, eventKind: news.kind }],
          parentClosePolicy: ParentClosePolicy.ABANDON,
          typedSearchAttributes: [
            { key: accountIdAttribute, value: news.accountId },
            { key: typeAttribute, value: 'delivery' },
          ],
          staticSummary: `${news.kind} to ${host}`,
        });
      } catch (error) {
        // Recorded twice, delivered once: the same event and receiver make the same id.
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    }),
  );
}
