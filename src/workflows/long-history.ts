import { workflowInfo } from '@temporalio/workflow';

/** Number of events after which a workflow continues as new once nothing is in flight; far below the server's own limit. */
const HISTORY_LIMIT = 1_000;
/** Bytes of a history after which it does so too. */
const HISTORY_BYTES = 2_000_000;

/** Whether the history is so long that the workflow continues as new, by our limits or by those of the server. */
export function isHistoryLong(): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  return historyLength > HISTORY_LIMIT || historySize > HISTORY_BYTES || continueAsNewSuggested;
}
