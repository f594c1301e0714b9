import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';

/**
 * Loaded before a server (`NODE_OPTIONS=--import`): measures from its inside how long each `POST /v1/uploads` waits for its answer.
 * At its end the process leaves what it measured in the folder that ANSWER_TIMES names.
 */
const folder = process.env['ANSWER_TIMES'];
/** @type {WeakMap<object, number>} */
const connected = new WeakMap();
/** @type {WeakMap<object, { connectedAt: number, readAt: number }>} */
const read = new WeakMap();
/** @type {{ status: number, connectedAt: number, readAt: number, answeredAt: number }[]} */
const answers = [];
/** Milliseconds since the epoch, so that processes can be compared */
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
