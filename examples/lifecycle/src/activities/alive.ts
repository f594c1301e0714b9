import { Context } from '@temporalio/activity';

/**
 * Sends heartbeats while work lasts, so that Temporal gives it to another worker soon after this one is gone. A
 * cancellation arrives with the answer to a heartbeat.
 */
export async function alive<T>(work: () => Promise<T>): Promise<T> {
  const { heartbeat } = Context.current();
  heartbeat();
  const timer = setInterval(heartbeat, 5_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
