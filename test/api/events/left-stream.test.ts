import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { expect, test } from '@jest/globals';
import { openEventStream } from '../../../src/api/events/event-writer.ts';

test('a stream whose caller left before it began is closed', async () => {
  const app = express();
  const left = new Promise<Response>((resolve) => {
    app.get('/', (_req, res) => {
      res.once('close', () => resolve(res));
    });
  });
  const server = app.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
    caller.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    caller.destroy();
    const stream = openEventStream(await left, { heartbeatMs: 1_000, stallMs: 1_000 });
    expect(stream.closed.aborted).toBe(true);
  } finally {
    server.close();
  }
});
