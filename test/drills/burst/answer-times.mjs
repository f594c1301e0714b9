import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';

/**
 * Preloaded into a server (`NODE_OPTIONS=--import`): measures the response time of each `POST /v1/uploads` inside the server.
 * At its exit, the process writes the measurements to the folder in ANSWER_TIMES.
 */
const folder = process.env['ANSWER_TIMES'];
/** @type {WeakMap<object, number>} */
const connected = new WeakMap();
/** @type {WeakMap<object, { connectedAt: number, readAt: number }>} */
const read = new WeakMap();
/** @type {{ status: number, connectedAt: number, readAt: number, answeredAt: number }[]} */
const answers = [];
/** Milliseconds since the epoch, so that times of different processes are comparable */
const now = () => performance.timeOrigin + performance.now();

subscribe('net.server.socket', (message) => {
  connected.set(/** @type {{ socket: object }} */ (message).socket, now());
});
subscribe('http.server.request.start', (message) => {
  const { request, response, socket } = /** @type {Record<string, any>} */ (message);
  if (request.method !== 'POST' || request.url !== '/v1/uploads') return;
  read.set(response, { connectedAt: connected.get(socket) ?? Number.NaN, readAt: now() });
});

const { writeHead } = ServerResponse.prototype;
/** @this {ServerResponse} @param {any[]} args */
ServerResponse.prototype.writeHead = function (...args) {
  const times = read.get(this);
  if (times !== undefined) answers.push({ status: args[0], ...times, answeredAt: now() });
  return Reflect.apply(writeHead, this, args);
};

process.once('exit', () => {
  if (folder !== undefined && answers.length > 0)
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(answers));
});
