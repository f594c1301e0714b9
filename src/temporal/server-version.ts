/**
 * The Temporal CLI that is fetched when the machine has none. It holds the whole server (1.32.0) and the Web UI.
 * A new version needs the new hashes here and in `server-wheel.ts`.
 */
export const TEMPORAL_CLI_VERSION = '1.9.1';

/** SHA-256 of the program itself on each platform, in hexadecimal; wherever it is fetched from, it is one of them. */
export const TEMPORAL_CLI_HASHES: ReadonlySet<string> = new Set([
  '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0', // Linux x86_64
  '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d', // Linux aarch64
  '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b', // macOS arm64
  'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc', // macOS x86_64
]);
