/** Scopes of Nexus endpoints, in display order. */
export const ENDPOINT_SCOPES = ['enhance', 'buckets', 'destinations', 'webhooks'] as const;
export type EndpointScope = (typeof ENDPOINT_SCOPES)[number];

/** A Nexus endpoint, whose callers use one account. They prove by its token that they may. */
export interface NexusEndpoint {
  /** Name at the Temporal server, unique there */
  name: string;
  accountId: string;
  scopes: EndpointScope[];
  /** ISO 8601 */
  createdAt: string;
  /** Creation of the present token, as ISO 8601 */
  tokenCreatedAt: string;
  /** End of the previous token, as ISO 8601; null without one */
  previousTokenUntil: string | null;
  /** When a token ended at once, and with it the tickets of its operations, as ISO 8601; null before */
  ticketsSince: string | null;
}

/** Temporal's form of an endpoint's name. */
export const ENDPOINT_NAME = /^[a-zA-Z][a-zA-Z0-9-]{0,198}[a-zA-Z0-9]$/;

/** Header of an operation with the token of its endpoint. */
export const TOKEN_HEADER = 'burnish-token';

/** Time in milliseconds for which a replaced token remains valid: an operation waits that long for an approval. */
export const PREVIOUS_TOKEN_MS = 7 * 86_400_000;
