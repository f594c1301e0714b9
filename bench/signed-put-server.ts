import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createLogger } from '../src/api/http/logger.ts';
import { testGateway } from '../test/api/support/gateway.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

/** Server of the benchmark of signed uploads. It runs in a separate process, so that its memory is measured without the client's. */
export interface ServerFacts {
  gatewayUrl: string;
  key: string;
  /** A handler that only writes the request body to the same disk */
  bareUrl: string;
}

const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
const gateway = await testGateway({ log: createLogger({ level: 'info', destination: discard }) });
gateway.temporal.onUpdate = () => ({});
const folder = await temporaryFolder();

const bare = createServer((req, res) => {
  void (async () => {
    const file = await open(join(folder.path, 'bare'), 'w');
    for await (const chunk of req) await file.write(chunk as Buffer);
    await file.sync();
    await file.close();
    res.end();
  })();
});
bare.listen(0, '127.0.0.1', () => {
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  process.send!({ gatewayUrl: gateway.url, key: gateway.key, bareUrl } satisfies ServerFacts);
});

/** Answers every message with the process's memory; `end` stops the process. */
process.on('message', (message) => {
  if (message !== 'end') {
    process.send!(process.memoryUsage.rss());
    return;
  }
  bare.close();
  bare.closeAllConnections();
  void Promise.all([gateway[Symbol.asyncDispose](), folder[Symbol.asyncDispose]()]).then(() => process.disconnect());
});
