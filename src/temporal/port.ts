import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { StartupError } from '../domain/startup-error.ts';

/** Below the range from which systems number outgoing connections, so that none takes a port between look and use. */
const OWN_CHOICE = [15_000, 31_000] as const;

/**
 * Makes sure that a TCP port can be listened on.
 *
 * @param setting the environment variable that chooses the port
 * @returns the port, or for port 0 one that is free
 * @throws StartupError naming the setting
 */
export async function claimablePort(host: string, port: number, setting: string): Promise<number> {
  if (port === 0) return await freePort(host);
  const trouble = await portTrouble(host, port);
  if (trouble === undefined) return port;
  const said = trouble === 'EADDRINUSE' ? 'is taken' : `cannot be used (${trouble})`;
  throw new StartupError(`Port ${port} on ${host} ${said}: set ${setting} to another one.`);
}

/** A TCP port that nobody listens on. @throws StartupError when the host has none to listen on */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(...OWN_CHOICE);
    const trouble = await portTrouble(host, port);
    if (trouble === undefined) return port;
    if (trouble !== 'EADDRINUSE') throw new StartupError(`No port on ${host} can be used (${trouble}).`);
  }
}

/** What stands against listening on a port: the system's code; undefined when nothing does. */
export function portTrouble(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
