/** Maximum number of listeners of an account. They do not count as webhook endpoints. */
export const MAX_LISTENERS = 10;

/** Time for which events are recorded after the last contact of a listener, milliseconds. */
export const LISTENER_KEPT_MS = 24 * 3_600_000;

/** Maximum number of deliveries that wait for a listener. Further events are not recorded for it. */
export const MAX_WAITING = 10_000;

/** Maximum number of past events that one request repeats, the latest ones. */
export const MAX_REPLAYED = 1_000;

/** Letters, digits and signs that a URL may contain as they are. */
export const LISTENER_NAME = /^[\w.:@/-]{1,200}$/;

/** URL of a listener in the log of deliveries, where endpoints have their URL. */
export const listenerUrl = (name: string): string => `listener:${name}`;
