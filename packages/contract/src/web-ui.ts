/** Path of the gateway's proxy to the Web UI of the embedded server. The rest of the URL is a path in the Web UI. */
export const TEMPORAL_UI_ENTRANCE = '/temporal-ui';

/** A Temporal Web UI, and the namespace of this instance in it. */
export interface TemporalUi {
  url: string;
  namespace: string;
}

/** The id of an upload's workflow. */
export const uploadWorkflowId = (uploadId: string): string => `upload/${uploadId}`;

/** Link to the list of workflows in the Web UI. */
export const workflowsUrl = ({ url, namespace }: TemporalUi): string =>
  `${url.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;

/** Link to the workflow of an upload in the Web UI. */
export const uploadWorkflowUrl = (ui: TemporalUi, uploadId: string): string =>
  `${workflowsUrl(ui)}/${encodeURIComponent(uploadWorkflowId(uploadId))}`;
