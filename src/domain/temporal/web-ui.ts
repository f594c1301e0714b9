/** Path of the gateway that lets operators into the Web UI of the embedded server. The rest of the address is a path there. */
export const TEMPORAL_UI_ENTRANCE = '/temporal-ui';
