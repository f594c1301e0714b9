import { Client, Connection } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';

const { EventType } = proto.temporal.api.enums.v1;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Cost of a lifecycle at the Temporal server, across all its histories. */
export interface HistoryCounts {
  histories: number;
  /** Starts whose first workflow task the server returned at once, without its task queue */
  eagerStarts: number;
  events: number;
  workflowTasks: number;
  /** Names in the order of completion */
  localActivities: string[];
  activities: string[];
  searchAttributeUpserts: number;
  timers: number;
}

/** Reads histories through the Temporal API, like an operator. */
export async function connectToHistories(
  address: string,
  namespace = 'default',
): Promise<{ count(workflowId: string): Promise<HistoryCounts>; [Symbol.asyncDispose](): Promise<void> }> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const add = async (counts: HistoryCounts, workflowId: string): Promise<void> => {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    counts.histories += 1;
    for (const event of events ?? []) {
      const child = countEvent(counts, event);
      if (child !== undefined) await add(counts, child);
    }
  };
  return {
    /** Counts the history of a workflow and, recursively, those of its children. */
    async count(workflowId) {
      const counts: HistoryCounts = {
        histories: 0,
        eagerStarts: 0,
        events: 0,
        workflowTasks: 0,
        localActivities: [],
        activities: [],
        searchAttributeUpserts: 0,
        timers: 0,
      };
      await add(counts, workflowId);
      return counts;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** @returns the id of the child workflow if one started */
function countEvent(counts: HistoryCounts, event: HistoryEvent): string | undefined {
  counts.events += 1;
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
      if (event.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted) counts.eagerStarts += 1;
      return undefined;
    case EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
      counts.workflowTasks += 1;
      return undefined;
    case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
      counts.activities.push(event.activityTaskScheduledEventAttributes?.activityType?.name ?? '');
      return undefined;
    case EventType.EVENT_TYPE_MARKER_RECORDED:
      if (event.markerRecordedEventAttributes?.markerName === 'core_local_activity') {
        counts.localActivities.push(localActivityName(event));
      }
      return undefined;
    case EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
      counts.searchAttributeUpserts += 1;
      return undefined;
    case EventType.EVENT_TYPE_TIMER_STARTED:
      counts.timers += 1;
      return undefined;
    case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED:
      return event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? undefined;
    default:
      return undefined;
  }
}

/** The SDK's core writes the name as JSON into the details of the marker. */
function localActivityName(event: HistoryEvent): string {
  const [payload] = event.markerRecordedEventAttributes?.details?.['data']?.payloads ?? [];
  const text = Buffer.from(payload?.data ?? []).toString('utf8');
  return (JSON.parse(text || '{}') as { activity_type?: string }).activity_type ?? '';
}
