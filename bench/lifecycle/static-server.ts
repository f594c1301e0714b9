import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** Bare Express that answers the JSON which its parent sends, and tells its port: what no read over HTTP is cheaper than. */
const app = express();
const [body] = (await once(process, 'message')) as [object];
app.get('/static', (_req, res) => void res.json(body));
const server = createServer(app);
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send!((server.address() as AddressInfo).port);
