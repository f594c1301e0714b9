import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** Bare Express that returns its parent's JSON and reports its port: the lower bound for reads over HTTP. */
const app = express();
const [body] = (await once(process, 'message')) as [object];
app.get('/static', (_req, res) => void res.json(body));
const server = createServer(app);
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send!((server.address() as AddressInfo).port);
