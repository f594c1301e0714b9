import { createServer } from 'node:net';
import { StartupError } from '../domain/startup-error.ts';

/**
 * Makes sure that a TCP port can be listened on.
 *
 * @param setting the environment variable that chooses the port
 * @returns the port, or for port 0 one that is free
 * @throws StartupError naming the setting
 */
export function claimablePort(host: string, port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const trouble = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code ?? error.message})`;
      reject(new StartupError(`Port ${port} on ${host} ${trouble}: set ${setting} to another one.`));
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const found = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(found));
    });
  });
}
