import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The minimal Node.js server: it refuses each request after reading its headers. It reports its port, and exits with its
 * parent.
 */
const answer = JSON.stringify({ code: 'UNAVAILABLE' });
const server = createServer((req, res) => {
  req.resume();
  res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2', 'content-length': answer.length });
  res.end(answer);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send!((server.address() as AddressInfo).port),
);
process.once('disconnect', () => process.exit());
