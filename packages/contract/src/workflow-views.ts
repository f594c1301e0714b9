import { WAITING_FOR } from './machinery.ts';
import { type TemporalUi, workflowsUrl } from './web-ui.ts';

/** A list of workflows that an operator looks at, in Temporal's query language. */
export interface WorkflowView {
  /** The same in each release, so that a saved view is replaced and not doubled */
  id: string;
  name: string;
  query: string;
}

const anyOf = (values: readonly string[]): string => `(${values.map((value) => `"${value}"`).join(', ')})`;
/** A workflow of an upload runs until the upload is deleted. */
const UPLOAD = 'WorkflowType = "upload" AND ExecutionStatus = "Running"';
const PEOPLE = ['approval', 'credits'];
/** Without those of people; `destination` is a machine of the caller. */
const MACHINES = WAITING_FOR.filter((each) => !PEOPLE.includes(each));

/** The lists that answer an operator's questions. Deliveries of webhooks are in one of their own. */
export const WORKFLOW_VIEWS: readonly WorkflowView[] = [
  {
    id: 'burnish-failed',
    name: 'Failed uploads',
    query: `${UPLOAD} AND (BurnishStatus IN ("UPLOAD_FAILED", "METADATA_ANALYZED_FAILED") OR BurnishEnhancementStatus = "ERROR")`,
  },
  {
    id: 'burnish-people',
    name: 'Waiting for a person',
    query: `ExecutionStatus = "Running" AND (BurnishWaitingFor IN ${anyOf(PEOPLE)} OR (BurnishType = "batch" AND BurnishStatus IN ("APPROVAL_NEEDED", "PAUSED")))`,
  },
  {
    id: 'burnish-machinery',
    name: 'Waiting for machinery',
    query: `ExecutionStatus = "Running" AND BurnishWaitingFor IN ${anyOf(MACHINES)}`,
  },
  { id: 'burnish-uploads', name: 'Uploads and batches', query: 'WorkflowType IN ("upload", "batch")' },
  {
    id: 'burnish-deliveries',
    name: 'Webhooks without delivery',
    query: 'WorkflowType = "delivery" AND BurnishStatus IN ("PENDING", "FAILED")',
  },
];

/** A view of one account. @param accountId such as `acc_…` */
export const viewOfAccount = (view: WorkflowView, accountId: string): WorkflowView => ({
  id: `${view.id}-${accountId}`,
  name: `${view.name} of ${accountId}`,
  query: `BurnishAccountId = "${accountId}" AND ${view.query}`,
});

/** Link to a view in the Web UI. */
export const workflowViewUrl = (ui: TemporalUi, { query }: WorkflowView): string =>
  `${workflowsUrl(ui)}?query=${encodeURIComponent(query)}`;
