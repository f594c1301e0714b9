import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Answers `Expect: 100-continue` once a handler reads the body: a request that is refused before gets its refusal
 * instead, and its caller sends no body (RFC 9110, section 10.1.1). Node.js would invite each body at once.
 */
export function continueOnceRead(server: Server): void {
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    const read = req._read.bind(req);
    // A stream calls it for its first reader. A refusal also reads what still arrives, after the head of its answer.
    req._read = (bytes) => {
      req._read = read;
      if (!res.headersSent) res.writeContinue();
      read(bytes);
    };
    server.emit('request', req, res);
  });
}
