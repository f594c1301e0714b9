import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { StartupError } from '../domain/startup-error.ts';

/** Below the usual range of outgoing connections, so that none takes a port between check and use. */
const OWN_CHOICE = [15_000, 31_000] as const;

/**
 * Checks that a TCP port is available.
 *
 * @param setting the environment variable of the port
 * @returns the port, or for port 0 a free one
 * @throws StartupError naming the setting
 */
export async function claimablePort(host: string, port: number, setting: string): Promise<number> {
  if (port === 0) return await freePort(host);
  const trouble = await portTrouble(host, port);
  if (trouble === undefined) return port;
  const said = trouble === 'EADDRINUSE' ? 'is in use' : `cannot be used (${trouble})`;
  throw new StartupError(`Port ${port} on ${host} ${said}. Set ${setting} to another port.`);
}

export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(...OWN_CHOICE);
    const trouble = await portTrouble(host, port);
    if (trouble === undefined) return port;
    if (trouble !== 'EADDRINUSE') throw new StartupError(`No port on ${host} can be used (${trouble}).`);
  }
}

/** The system's error code that prevents listening on a port; undefined for an available port. */
export function portTrouble(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
