import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

export interface HostileReport {
  layers: string[];
  /** The kernel's view of the child process */
  confined: {
    program: string;
    /** User id in the parent's namespace */
    uid: number;
    /** Namespaces shared with the parent */
    sharedNamespaces: string[];
    /** Non-empty sets of capabilities */
    capabilities: string[];
    noNewPrivileges: boolean;
    /** Whether a system call filter is active */
    filtered: boolean;
    /** Limits: bytes of a core dump, bytes of a file, open files, bytes of data, threads of its user; NaN: no limit */
    limits: number[];
  };
  /** Failed attempts, with the error of each */
  held: Record<string, string>;
  /** Successful attempts, with their results */
  succeeded: Record<string, string>;
  /** Attempts of native code, with the expected and the actual error of each; null without a library */
  native: [name: string, expected: string, actual: string][] | null;
  /** Outcome of native code that starts threads without end; null without it */
  threads: string | null;
  /** Native code that goes on after its task: the outcomes of its task and the next, and what decoders hold at last and a second before */
  lingering: { first: string; looks: [Holdings, Holdings]; next: string } | null;
  /** Threads that native code has got at once; null without it, or where the watch saw them each time */
  atOnce: number | null;
  /** Outcomes of native code that takes 1,200 MiB, by the name of its library: an error, a code, or `held` */
  hoards: Record<string, string>;
  /** Failure codes of tasks that created a link or a folder in place of a file */
  links: string[];
  /** Failure codes of tasks that left something else in their outbox, or `none` */
  leftovers: Record<string, string>;
  /** Content of a result after a later task has written to it again, and its permissions, which the child set to 6777 */
  taken: [content: string, mode: string];
  /** Names in the folder of the sandbox after its end */
  remains: string[];
  memory: string;
  /** Outcome of a task that starts processes without end */
  processes: string;
  outliving: string;
  /** Processes that still ran after the sandbox was closed */
  left: number;
  unharmed: boolean;
  uid: number;
}

export interface Holdings {
  threads: number;
  bytes: number;
  cpuMs: number;
  /** Bytes of files */
  written: number;
}

export type IsolationName = 'bubblewrap' | 'process';

/**
 * Runs the hostile tasks in a separate program, with a secret in its environment.
 * @param uid another user to run it as, which requires root
 * @param libraries paths of shared libraries: as `hostile-report.mjs` names them
 * @returns undefined when this machine does not support this isolation
 */
export async function runHostile(
  sources: 'src' | 'dist',
  isolation: IsolationName,
  { uid, libraries = [] }: { uid?: number; libraries?: readonly string[] } = {},
): Promise<HostileReport | undefined> {
  const report = fileURLToPath(new URL('./hostile-report.mjs', import.meta.url));
  const loader = fileURLToPath(new URL('../../../scripts/strip-types.mjs', import.meta.url));
  const flags = sources === 'src' ? ['--import', pathToFileURL(loader).href] : [];
  const node = [process.execPath, ...flags, report, sources, isolation, ...libraries];
  const as =
    uid === undefined ? [] : ['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--'];
  const [program = '', ...args] = [...as, ...node];
  const env = { PATH: process.env['PATH'], DATABASE_URL: 'postgres://a-secret-in-the-environment' };
  const { stdout } = await promisify(execFile)(program, args, { env, cwd: '/', timeout: 300_000 });
  const told = JSON.parse(stdout) as HostileReport | { missing: string };
  return 'missing' in told ? undefined : told;
}

/** Threads of a decoder that the kernel allows: 32 more than the watch does. */
export const KERNEL_THREADS = 128 + 8 * availableParallelism() + 32;

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
  expect(report.leftovers).toEqual({
    'a folder without permissions': 'none',
    // Root can open everything.
    'an outbox without permissions': report.uid === 0 ? 'none' : 'CORRUPT_FILE',
    'a result without permissions': report.uid === 0 ? 'none' : 'CORRUPT_FILE',
    'a result with a second name': 'CORRUPT_FILE',
    'folders deeper than a path may be long': 'none',
    'files without number': 'none',
  });
  expect(report).toMatchObject({ taken: ['checked', '600'], remains: [] });
  expect(report.held).toHaveProperty('write a file larger than the limit', 'EFBIG');
  expect(['none started', 'PROCESSING_LIMIT']).toContain(report.processes);
  expect(report).toMatchObject({ memory: 'PROCESSING_LIMIT', outliving: 'PROCESSING_LIMIT', left: 0, unharmed: true });
}

/**
 * Additional expectations for real isolation: separate namespaces, no capability, never the id of root, and a filter. A child of
 * root has an id of its own in place of a namespace of users.
 */
export function expectIsolation({ confined, uid }: HostileReport): void {
  const sharedNamespaces = uid === 0 ? ['user'] : [];
  expect(confined).toMatchObject({ sharedNamespaces, capabilities: [], filtered: true });
  expect(confined.uid).not.toBe(0);
  expect(confined.limits[4]).toBe(KERNEL_THREADS);
}

/** Whether Node.js' permission model can restrict the compiled code. */
export const hasPermissionModel = process.allowedNodeEnvironmentFlags.has('--allow-addons');
