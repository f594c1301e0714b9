import { connect } from 'node:net';

/** Connects so many times to a port when its parent says so, and tells how many connections there are after 900 milliseconds. */
const [port, count] = process.argv.slice(2).map(Number);
let connected = 0;
process.send?.('ready');
process.once('message', () => {
  for (let sent = 0; sent < count; sent += 1) connect({ port, host: '127.0.0.1' }, () => (connected += 1));
  // A connection that the kernel did not take in begins again after a second.
  setTimeout(() => process.send?.(connected), 900);
});
