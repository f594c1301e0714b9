import type { ServerResponse } from 'node:http';

/**
 * Runs work once the connection of a response has closed: at once if it has already closed, as while the caller was looked up.
 * The event `close` comes only once.
 */
export function onceClosed(res: ServerResponse, work: () => void): void {
  if (res.closed) work();
  else res.once('close', work);
}
