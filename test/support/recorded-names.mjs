import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/**
 * `unshare --map-root-user --net --mount node recorded-names.mjs RESOLV_CONF COMMAND ...`: runs a command in a separate
 * network. Every DNS query arrives here, and gets the answer that the name does not exist. Prints the names and the exit code
 * as JSON, on its last line.
 */
const [, , resolvConf = '', program = '', ...args] = process.argv;
execFileSync('ip', ['link', 'set', 'lo', 'up']);
execFileSync('mount', ['--bind', resolvConf, '/etc/resolv.conf']);

/** @type {Set<string>} */
const names = new Set();
const socket = createSocket('udp4');
socket.on('message', (question, { port, address }) => {
  names.add(nameIn(question));
  const answer = Buffer.from(question);
  // An answer (QR), with the code for a name that does not exist (RFC 1035, 4.1.1).
  answer.writeUInt16BE(0x8183, 2);
  socket.send(answer, port, address);
});
socket.bind(53, '127.0.0.1');
await once(socket, 'listening');

const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const [code] = await once(child, 'exit');
socket.close();
console.log(`\n${JSON.stringify({ code, names: [...names] })}`);

/** The name of the first question: labels after a header of 12 bytes, each with its length before it. @param {Buffer} message */
function nameIn(message) {
  const labels = [];
  for (let at = 12; message[at]; at += 1 + message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + message[at]));
  }
  return labels.join('.');
}
