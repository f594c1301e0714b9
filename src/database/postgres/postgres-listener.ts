import { Client, type ClientConfig } from 'pg';

const RECONNECT_MS = { first: 100, most: 10_000 } as const;

/**
 * Listens on a separate connection. When it is lost, it reconnects with exponential backoff. After a reconnection the
 * callback receives null, since it may have missed notifications.
 * @throws pg's error when the first connection fails
 */
export async function postgresListener(
  connection: ClientConfig,
  channel: string,
  callback: (payload: string | null) => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let client: Client | undefined;

  const connect = async (): Promise<void> => {
    const next = new Client(connection);
    let lost = false;
    const onLoss = (): void => {
      if (lost || next !== client) return;
      lost = true;
      reconnectAfter(RECONNECT_MS.first);
    };
    next.on('notification', ({ payload }) => callback(payload ?? ''));
    next.on('error', onLoss);
    next.on('end', onLoss);
    await next.connect();
    try {
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    client = next;
    if (stopped) await next.end();
  };

  const reconnectAfter = (pauseMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      connect().then(
        () => callback(null),
        () => reconnectAfter(Math.min(pauseMs * 2, RECONNECT_MS.most)),
      );
    }, pauseMs);
    timer.unref();
  };

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
}
