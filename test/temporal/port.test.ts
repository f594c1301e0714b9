import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { StartupError } from '../../src/domain/startup-error.ts';
import { claimablePort, freePort, portTrouble } from '../../src/temporal/port.ts';

// One that the system chose could go to an outgoing connection before the server that it was chosen for listened on it.
test('a chosen port is free, and outside of the range of outgoing connections', async () => {
  const [lowest] = (await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768')).split(/\s/);
  for (let i = 0; i < 20; i += 1) {
    const port = await claimablePort('127.0.0.1', 0, 'ANY');
    expect(port).toBeLessThan(Number(lowest));
    expect(await portTrouble('127.0.0.1', port)).toBeUndefined();
  }
});

test('a port in use, or a foreign address, is refused in words', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(claimablePort('127.0.0.1', port, 'MY_PORT')).rejects.toThrow(
    new StartupError(`Port ${port} on 127.0.0.1 is taken: set MY_PORT to another one.`),
  );
  server.close();
  await expect(freePort('192.0.2.1')).rejects.toThrow('No port on 192.0.2.1 can be used (EADDRNOTAVAIL).');
});
