/*
 * Stands in for the types of `@whatwg-node/fetch` (see `paths` in tsconfig.json): its own would bring the browser's globals
 * into every file of a program for servers. graphql-yoga's types need no more than this of it.
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
