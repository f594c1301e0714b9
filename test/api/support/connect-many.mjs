import { connect } from 'node:net';

/** Opens the given number of connections to a port at its parent's command. Reports the number of connections after 900 milliseconds. */
const [port, count] = process.argv.slice(2).map(Number);
let connected = 0;
process.send?.('ready');
process.once('message', () => {
  for (let sent = 0; sent < count; sent += 1) connect({ port, host: '127.0.0.1' }, () => (connected += 1));
  // The kernel retries a connection outside the backlog after a second.
  setTimeout(() => process.send?.(connected), 900);
});
