import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** LISTEN in /proc/net/tcp */
const LISTENING = '0A';

/** Addresses and ports that a process listens on, in hexadecimal (proc(5)). IPv4 addresses are in the byte order of the machine. */
export function listenersOf(pid: number): [address: string, port: string][] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === LISTENING && sockets.has(inode))
    .map(([, local = '']) => local.split(':') as [string, string]);
}

/** TCP ports that a process listens on. */
export const portsOf = (pid: number): number[] => listenersOf(pid).map(([, port]) => Number.parseInt(port, 16));

function inodeOf(path: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1] ?? '';
  } catch {
    // Closed meanwhile.
    return '';
  }
}
