import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { StartupError } from '../../src/domain/startup-error.ts';
import { claimablePort, freePort, portTrouble } from '../../src/temporal/port.ts';
import { testPort } from '../support/test-port.ts';

// One that the system chose could go to an outgoing connection before the server that it was chosen for listened on it.
test('a chosen port is free, and outside of the range of outgoing connections', async () => {
  const [lowest] = (await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768')).split(/\s/);
  for (let i = 0; i < 20; i += 1) {
    const port = await claimablePort('127.0.0.1', 0, 'ANY');
    expect(port).toBeLessThan(Number(lowest));
    expect(await portTrouble('127.0.0.1', port)).toBeUndefined();
  }
});

test('the ports of tests differ from each other and from those that Burnish chooses', async () => {
  const ports = new Set<number>();
  for (let i = 0; i < 20; i += 1) ports.add(await testPort());
  expect(ports.size).toBe(20);
  expect(Math.max(...ports)).toBeLessThan(await lowestOf(200, freePort));
});

async function lowestOf(count: number, choose: () => Promise<number>): Promise<number> {
  let lowest = Infinity;
  for (let i = 0; i < count; i += 1) lowest = Math.min(lowest, await choose());
  return lowest;
}

test('a port in use, or a foreign address, is refused in words', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(claimablePort('127.0.0.1', port, 'MY_PORT')).rejects.toThrow(
    new StartupError(`Port ${port} on 127.0.0.1 is in use. Set MY_PORT to another port.`),
  );
  server.close();
  await expect(freePort('192.0.2.1')).rejects.toThrow('No port on 192.0.2.1 can be used (EADDRNOTAVAIL).');
});
