import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createLogger } from '../src/api/http/logger.ts';
import { testGateway } from '../test/api/support/gateway.ts';
import { storedEnhancement, storedUpload } from '../test/api/support/records.ts';
import type { Load } from './status-reads-load.ts';

/**
 * Measures the cost of the interfaces, as ratios within one run: status reads per second by GraphQL and by REST, compared with
 * a bare Express handler. The handler does the same one-row read on the same database, without authentication, limits, logs or
 * a schema. `npm run bench:contract`; limited to about a minute.
 */
/** Many short rounds, so that other load of the machine affects all alike. */
const ROUNDS = 20;
const ROUND_MS = 400;
const CONCURRENCY = 16;

const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
const log = createLogger({ level: 'info', destination: discard });
await using gateway = await testGateway({ log, limits: { requestsPerAccount: 1e9 } });
const upload = await storedUpload(gateway);
const result = {
  objectKey: 'x',
  size: 1,
  sha256: 'x',
  mimetype: 'image/jpeg' as const,
  filename: 'a.jpg',
  width: 1,
  height: 1,
};
const enhancement = await storedEnhancement(gateway, upload, { status: 'FINISHED', result });
const accountId = gateway.account.id;

const bare = express();
bare.get('/uploads/:id', async (req, res) => {
  res.json(await gateway.records.uploads.get(accountId, req.params.id));
});
bare.get('/enhancements/:id', async (req, res) => {
  res.json(await gateway.records.enhancements.get(accountId, req.params.id));
});
const server = createServer(bare);
await once(server.listen(0, '127.0.0.1'), 'listening');
const bareOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const clients = fork(fileURLToPath(new URL('./status-reads-load.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx'],
});
const common = { concurrency: CONCURRENCY, ms: ROUND_MS };
const key = { 'x-api-key': gateway.key };

const UPLOAD = 'query Status($id: ID!) { upload(id: $id) { id status subStatus metadata } }';
const ENHANCED =
  'query Status($id: ID!) { enhancedImage(id: $id) { id status fullUrl filename engineDuration errorCode } }';
const graphql = (query: string, id: string): Load => ({
  ...common,
  origin: gateway.url,
  path: '/graphql',
  method: 'POST',
  headers: { ...key, 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { id } }),
  expected: id,
});
const get = (origin: string, path: string, id: string, headers = {}): Load => ({
  ...common,
  origin,
  path: `${path}/${id}`,
  method: 'GET',
  headers,
  expected: id,
});

const READS: Record<string, { bare: Load; others: Record<string, Load> }> = {
  upload: {
    bare: get(bareOrigin, '/uploads', upload.id),
    others: { graphql: graphql(UPLOAD, upload.id), rest: get(gateway.url, '/v1/uploads', upload.id, key) },
  },
  enhancedImage: {
    bare: get(bareOrigin, '/enhancements', enhancement.id),
    others: {
      graphql: graphql(ENHANCED, enhancement.id),
      rest: get(gateway.url, '/v1/enhancements', enhancement.id, key),
    },
  },
};

try {
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, embedded database`,
  );
  for (const [name, { bare, others }] of Object.entries(READS)) {
    const ratios: Record<string, number[]> = {};
    for (let round = 0; round <= ROUNDS; round += 1) {
      const base = await perSecond(bare);
      const line = [`bare ${base.toFixed(0)}/s`];
      for (const [way, load] of Object.entries(others)) {
        const rate = await perSecond(load);
        line.push(`${way} ${rate.toFixed(0)}/s`);
        // The first round warms up.
        if (round > 0) (ratios[way] ??= []).push(rate / base);
      }
      console.log(`${name}, ${round === 0 ? 'warm-up' : `round ${round}`}: ${line.join(', ')}`);
    }
    for (const [way, values] of Object.entries(ratios)) {
      console.log(`${name} by ${way}: median ratio ${median(values).toFixed(2)} of a bare handler`);
    }
  }
} finally {
  clients.kill();
  server.close();
  server.closeAllConnections();
}

async function perSecond(load: Load): Promise<number> {
  clients.send(load);
  const [answer] = (await once(clients, 'message')) as [number | string];
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
