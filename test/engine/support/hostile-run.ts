import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

export interface HostileReport {
  layers: string[];
  /** The kernel's own account of the child */
  confined: {
    program: string;
    /** Namespaces that are those of the parent */
    sharedNamespaces: string[];
    /** Sets of capabilities that are not empty */
    capabilities: string[];
    noNewPrivileges: boolean;
    /** Whether a system call filter is in force */
    filtered: boolean;
    /** Bytes of a core dump, bytes of a file, open files, bytes of data; NaN: no limit */
    limits: number[];
  };
  /** Attempts that failed, and the error of each */
  held: Record<string, string>;
  /** Attempts that succeeded, and what they brought */
  succeeded: Record<string, string>;
  /** Failure codes of tasks that left a link and a folder where a file was due */
  links: string[];
  memory: string;
  /** What became of a task that starts processes without end */
  processes: string;
  outliving: string;
  /** Processes that were left when the sandbox was closed */
  left: number;
  unharmed: boolean;
  uid: number;
}

export type WallName = 'bubblewrap' | 'namespaces' | 'process';

/** What a child without the system call filter may do inside its own namespaces, where it reaches nobody by it. */
export const HARMLESS_IN_NAMESPACES = ['listen on a port', 'listen on a socket', 'open a socket for datagrams'];

/** Native calls of a Node.js that starts itself: its copy is as jailed as it is. */
export const NODE_ITSELF = 'start Node.js';

/**
 * Runs the hostile tasks in a program of its own, with a secret in its environment.
 * @param uid of another user to run it as, which takes root
 * @returns undefined when this machine has no such wall
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

/** What holds behind every wall: what a child leaves is looked at, its memory counted, its life over with its task. */
export function expectBounds(report: HostileReport): void {
  const { program, noNewPrivileges, limits } = report.confined;
  expect(program).toBe(process.execPath);
  expect(noNewPrivileges).toBe(report.layers.some((layer) => /^no (new privileges|capabilities)$/.test(layer)));
  const [core, fileSize, openFiles, data = NaN] = limits;
  expect([core, fileSize, openFiles]).toEqual([0, 8 * 1024 ** 3, 1024]);
  // Twice the memory of the sandbox and a gigabyte.
  expect(data).toBe(Math.ceil(1_000_000_000 / 1024) * 1024 + 1024 ** 3);
  // The permission model refuses the link to the task itself, which is an error of no file.
  const link = report.layers.includes('Node.js permissions') ? 'INTERNAL' : 'CORRUPT_FILE';
  expect(report.links).toEqual([link, 'CORRUPT_FILE']);
  expect(report.held).toHaveProperty('write a file larger than the limit', 'EFBIG');
  expect(['none started', 'PROCESSING_LIMIT']).toContain(report.processes);
  expect(report).toMatchObject({ memory: 'PROCESSING_LIMIT', outliving: 'PROCESSING_LIMIT', left: 0, unharmed: true });
}

/** What an isolating wall holds besides: its own namespaces and no capability. @param filtered whether it filters system calls */
export function expectIsolation({ confined }: HostileReport, filtered: boolean): void {
  expect(confined).toMatchObject({ sharedNamespaces: [], capabilities: [], filtered });
}

/** Whether the compiled code can hold JavaScript by Node.js' permission model. */
export const hasPermissionModel = process.allowedNodeEnvironmentFlags.has('--allow-addons');
