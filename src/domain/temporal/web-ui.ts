/** Path of the gateway's proxy to the Web UI of the embedded server. The rest of the URL is a path in the Web UI. */
export const TEMPORAL_UI_ENTRANCE = '/temporal-ui';
