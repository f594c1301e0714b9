import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

export interface HostileReport {
  layers: string[];
  /** The kernel's view of the child process */
  confined: {
    program: string;
    /** Namespaces shared with the parent */
    sharedNamespaces: string[];
    /** Non-empty sets of capabilities */
    capabilities: string[];
    noNewPrivileges: boolean;
    /** Whether a system call filter is active */
    filtered: boolean;
    /** Limits: bytes of a core dump, bytes of a file, open files, bytes of data; NaN: no limit */
    limits: number[];
  };
  /** Failed attempts, with the error of each */
  held: Record<string, string>;
  /** Successful attempts, with their results */
  succeeded: Record<string, string>;
  /** Failure codes of tasks that created a link or a folder in place of a file */
  links: string[];
  memory: string;
  /** Outcome of a task that starts processes without end */
  processes: string;
  outliving: string;
  /** Processes that still ran after the sandbox was closed */
  left: number;
  unharmed: boolean;
  uid: number;
}

export type WallName = 'bubblewrap' | 'namespaces' | 'process';

/** Operations that a child without the system call filter may run inside its own namespaces. They reach no other process. */
export const HARMLESS_IN_NAMESPACES = ['listen on a port', 'listen on a socket', 'open a socket for datagrams'];

/** Native calls of a Node.js that starts itself. The copy has the same restrictions as the original. */
export const NODE_ITSELF = 'start Node.js';

/**
 * Runs the hostile tasks in a separate program, with a secret in its environment.
 * @param uid another user to run it as, which requires root
 * @returns undefined when this machine does not support this isolation
 */
export async function runHostile(
  sources: 'src' | 'dist',
  wall: WallName,
  uid?: number,
): Promise<HostileReport | undefined> {
  const report = fileURLToPath(new URL('./hostile-report.mjs', import.meta.url));
  const loader = fileURLToPath(new URL('../../../scripts/strip-types.mjs', import.meta.url));
  const flags = sources === 'src' ? ['--import', pathToFileURL(loader).href] : [];
  const node = [process.execPath, ...flags, report, sources, wall];
  const as =
    uid === undefined ? [] : ['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--'];
  const [program = '', ...args] = [...as, ...node];
  const env = { PATH: process.env['PATH'], DATABASE_URL: 'postgres://a-secret-in-the-environment' };
  const { stdout } = await promisify(execFile)(program, args, { env, cwd: '/', timeout: 60_000 });
  const told = JSON.parse(stdout) as HostileReport | { missing: string };
  return 'missing' in told ? undefined : told;
}

/** Expectations for every kind of isolation: output of a child is checked, its memory is limited, and it ends with its task. */
export function expectBounds(report: HostileReport): void {
  const { program, noNewPrivileges, limits } = report.confined;
  expect(program).toBe(process.execPath);
  expect(noNewPrivileges).toBe(report.layers.some((layer) => /^no (new privileges|capabilities)$/.test(layer)));
  const [core, fileSize, openFiles, data = NaN] = limits;
  expect([core, fileSize, openFiles]).toEqual([0, 8 * 1024 ** 3, 1024]);
  // Twice the memory of the sandbox, plus a gigabyte.
  expect(data).toBe(Math.ceil(1_000_000_000 / 1024) * 1024 + 1024 ** 3);
  // The permission model refuses the link inside the task, so the error is not about the file.
  const link = report.layers.includes('Node.js permissions') ? 'INTERNAL' : 'CORRUPT_FILE';
  expect(report.links).toEqual([link, 'CORRUPT_FILE']);
  expect(report.held).toHaveProperty('write a file larger than the limit', 'EFBIG');
  expect(['none started', 'PROCESSING_LIMIT']).toContain(report.processes);
  expect(report).toMatchObject({ memory: 'PROCESSING_LIMIT', outliving: 'PROCESSING_LIMIT', left: 0, unharmed: true });
}

/**
 * Additional expectations for real isolation: separate namespaces and no capability.
 * @param filtered whether it filters system calls
 */
export function expectIsolation({ confined }: HostileReport, filtered: boolean): void {
  expect(confined).toMatchObject({ sharedNamespaces: [], capabilities: [], filtered });
}

/** Whether Node.js' permission model can restrict the compiled code. */
export const hasPermissionModel = process.allowedNodeEnvironmentFlags.has('--allow-addons');
