import { connect } from 'node:net';
import { join, resolve } from 'node:path';

/** sockaddr_un(7): 108 bytes including the final zero, and 104 on some systems. */
const MAX_PATH_BYTES = 103;

/** Folder of the socket for the operator's commands. Only the folder's owner can access it. */
export function operatorFolder(dataDir: string): string {
  return join(resolve(dataDir), 'operator');
}

/** The socket itself; undefined when the data folder's path is too long for one. */
export function operatorSocketPath(dataDir: string): string | undefined {
  const path = join(operatorFolder(dataDir), 'socket');
  return Buffer.byteLength(path) <= MAX_PATH_BYTES ? path : undefined;
}

/** Whether a process listens: the socket file of a killed process refuses connections. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (served: boolean): void => {
      socket.destroy();
      resolve(served);
    };
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
}
