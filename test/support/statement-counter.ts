import { once } from 'node:events';
import { connect, createServer, type Socket, type AddressInfo } from 'node:net';

export interface StatementCounter {
  /** URL of the database through the counter */
  url: string;
  /** Returns and clears the list of statements executed since the last call, in order */
  take(): string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A proxy for PostgreSQL that records each executed statement, by its frontend protocol
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html). It sends no requests of its own.
 * @param url of the database, reached without TLS
 */
export async function startStatementCounter(url: string): Promise<StatementCounter> {
  const { hostname: host, port } = new URL(url);
  const executed: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ host, port: Number(port) });
    const read = statementReader((statement) => executed.push(statement));
    client.on('data', read);
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const counted = new URL(url);
  counted.port = String((server.address() as AddressInfo).port);
  return {
    url: counted.href,
    take: () => executed.splice(0),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Reads a client's data in chunks of any size, and reports the statements that it executes. */
function statementReader(told: (statement: string) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  let started = false;
  /** Texts of prepared statements by name */
  const prepared = new Map<string, string>();
  let bound = '';
  const message = (type: string, body: Buffer): void => {
    const texts = body.toString('utf8').split('\0');
    if (type === 'Q') told(texts[0]!);
    else if (type === 'P') prepared.set(texts[0]!, texts[1]!);
    else if (type === 'B') bound = prepared.get(texts[1]!) ?? '';
    else if (type === 'E') told(bound);
  };
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      // The first message has a length and no type.
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      if (started) message(rest.toString('latin1', 0, 1), rest.subarray(5, end));
      started = true;
      rest = rest.subarray(end);
    }
  };
}
