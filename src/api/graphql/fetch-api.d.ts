/*
 * Replaces the types of `@whatwg-node/fetch` (see `paths` in tsconfig.json), which would add the browser's globals to
 * every file of a server program. graphql-yoga's types need only this subset.
 */
type Globals = Pick<
  typeof globalThis,
  | 'fetch'
  | 'Request'
  | 'Response'
  | 'Headers'
  | 'FormData'
  | 'ReadableStream'
  | 'URL'
  | 'URLSearchParams'
  | 'Blob'
  | 'File'
>;
export const createFetch: (options?: object) => Globals & Record<string, unknown>;
export const Response: typeof globalThis.Response;
