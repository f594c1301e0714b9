import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, condition, ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { EventKind } from '@burnish/contract';
import type { FailedAttempt } from '../../activities/notify.ts';
import type { AnnouncedDelivery } from '../../activities/records.ts';
import { DELIVERY_OFFSETS_MS } from '../../domain/temporal/retry-policies.ts';
import { deliveryWorkflowId, clockAdvanced } from '../../domain/temporal/workflow-interface.ts';
import {
  accountIdAttribute,
  statusAttribute,
  typeAttribute,
  uploadIdAttribute,
} from '../../domain/temporal/search-attributes.ts';
import { countedAdvances, memoOfClock } from '../../test-accounts/workflow-clock.ts';
import { notifyReceivers } from '../activities.ts';
import { delivery } from './delivery.ts';

/**
 * Sends recorded events to their receivers. The first attempt is an activity in the upload's own history, and no step waits for
 * it. A separate delivery workflow starts only for a receiver whose first attempt failed. It outlives the upload.
 */
export interface Notifications {
  send(deliveries: readonly AnnouncedDelivery[], kind: EventKind): void;
  /** Whether an attempt is running. Until it ends, the workflow must neither complete nor continue as new. */
  readonly busy: boolean;
  settled(): Promise<void>;
}

/** @param uploadId absent for events about no upload */
export function createNotifications(accountId: string, uploadId?: string): Notifications {
  let pending = 0;
  const ofUpload = uploadId === undefined ? {} : { uploadId };

  async function attempt({ deliveryId, host }: AnnouncedDelivery, kind: EventKind): Promise<void> {
    const atMs = Date.now();
    const advances = countedAdvances().length;
    const [failed] = await notifyReceivers.executeWithOptions({ summary: `${kind} to ${host}` }, [
      { deliveryIds: [deliveryId], nextAttemptAt: new Date(atMs + DELIVERY_OFFSETS_MS[1]).toISOString() },
    ]);
    if (failed !== undefined) await startRetries(failed, host, kind, { atMs, advances });
  }

  async function startRetries(
    { deliveryId, retryAfterMs }: FailedAttempt,
    host: string,
    kind: EventKind,
    { atMs, advances }: { atMs: number; advances: number },
  ): Promise<void> {
    // The clock may have been advanced during the first attempt.
    const ahead = countedAdvances().slice(advances);
    const attempted = { atMs, retryAfterMs };
    try {
      const child = await startChild(delivery, {
        workflowId: deliveryWorkflowId(deliveryId),
        args: [{ deliveryId, accountId, ...ofUpload, host, eventKind: kind, attempted }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        ...(ahead.length > 0 && memoOfClock(ahead)),
        typedSearchAttributes: [
          { key: accountIdAttribute, value: accountId },
          ...(uploadId === undefined ? [] : [{ key: uploadIdAttribute, value: uploadId }]),
          { key: statusAttribute, value: 'PENDING' },
          { key: typeAttribute, value: 'delivery' },
        ],
        staticSummary: `${kind} to ${host}`,
      });
      // The signal of an advance during the start found no workflow.
      for (const missed of countedAdvances().slice(advances + ahead.length)) await child.signal(clockAdvanced, missed);
    } catch (error) {
      // A repeated record of the same event and receiver yields the same workflow id, so the retries run once.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  return {
    send(deliveries, stepKind) {
      const byKind = new Map<EventKind, AnnouncedDelivery[]>();
      for (const each of deliveries) {
        const kind = each.kind ?? stepKind;
        byKind.set(kind, [...(byKind.get(kind) ?? []), each]);
      }
      for (const [kind, ofKind] of byKind) {
        // Each receiver has an activity of its own, so that none waits for the answer of another.
        for (const each of ofKind) {
          pending += 1;
          void CancellationScope.nonCancellable(() => attempt(each, kind))
            // Nobody awaits the attempt, so its failure would stop the workflow: an event never stops its upload.
            .catch(() => undefined)
            .finally(() => (pending -= 1));
        }
      }
    },
    get busy() {
      return pending > 0;
    },
    settled: () => condition(() => pending === 0),
  };
}

export const eventSource = (): string => workflowInfo().workflowId;
