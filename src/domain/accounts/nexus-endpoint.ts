/** A Nexus endpoint, which lets the workflows of one namespace use one account. */
export interface NexusEndpoint {
  /** Name at the Temporal server, unique there */
  name: string;
  accountId: string;
  /** Temporal namespace of the callers */
  callerNamespace: string;
  /** ISO 8601 */
  createdAt: string;
}

/** Temporal's form of an endpoint's name. */
export const ENDPOINT_NAME = /^[a-zA-Z][a-zA-Z0-9-]{0,198}[a-zA-Z0-9]$/;
