import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  expectBounds,
  expectIsolation,
  hasPermissionModel,
  KERNEL_THREADS,
  runHostile,
  type HostileReport,
  type IsolationName,
} from '../sandbox/support/hostile-run.ts';
import { expectNamed } from '../support/expect-named.ts';

const isRoot = process.getuid?.() === 0;
/** Id of the user `nobody` on Linux. */
const ORDINARY_UID = 65_534;
const users: [string, number | undefined][] = [
  [isRoot ? 'root' : 'an ordinary user', undefined],
  ...(isRoot ? [['an ordinary user', ORDINARY_UID] as [string, number]] : []),
];

const folder = await mkdtemp(join(tmpdir(), 'burnish-attacker-'));
await chmod(folder, 0o755);
afterAll(() => rm(folder, { recursive: true }));

/** Ways to take memory or threads in `native-memory.c`, each with its outcome in bubblewrap at a limit of 477 MiB */
const HOARDS = {
  MEMFD: 'EPERM',
  SYSTEM_V: 'EPERM',
  SHARED: 'EPERM',
  TMPFS: 'EROFS',
  FORKS: 'EPERM',
  THREADS: 'PROCESSING_LIMIT',
  SLEEPERS: 'PROCESSING_LIMIT',
};

/** Compiles the native code. @returns its libraries; undefined without a C compiler */
const libraries = ((): string[] | undefined => {
  const compile = (name: string, library: string, ...flags: string[]): string => {
    const source = fileURLToPath(new URL(`./hostile/${name}.c`, import.meta.url));
    const path = join(folder, `${library}.so`);
    execFileSync('cc', ['-shared', '-fPIC', '-pthread', '-Wall', '-Werror', '-O1', ...flags, '-o', path, source]);
    return path;
  };
  try {
    return [
      ...['native-attacker', 'native-threads'].map((name) => compile(name, name)),
      // Its code stays when Node.js lets it go.
      compile('native-afterwards', 'native-afterwards', '-Wl,-z,nodelete'),
      compile('native-burst', 'native-burst'),
      ...Object.keys(HOARDS).map((way) => compile('native-memory', way, `-DWAY=${way}`)),
    ];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
})();

/** Runs the compiled code as in production: with Node.js' permission model inside the isolation. */
async function reportOf(isolation: IsolationName, uid?: number, native?: readonly string[]): Promise<HostileReport> {
  const report = await runHostile('dist', isolation, { ...(uid && { uid }), ...(native && { libraries: native }) });
  if (report === undefined) {
    throw new Error(`The layer "${isolation}" is missing on this machine. Install it, or allow user namespaces.`);
  }
  console.log(`${isolation}, uid ${report.uid}: ${report.layers.join(', ')}`);
  for (const [attempt, error] of Object.entries(report.held)) console.log(`  held       ${attempt} (${error})`);
  for (const [attempt, brought] of Object.entries(report.succeeded)) console.log(`  succeeded  ${attempt}: ${brought}`);
  return report;
}

describe.each(users)('a compromised decoder, as %s', (_, uid) => {
  test('cannot leave the sandbox of bubblewrap', async () => {
    const report = await reportOf('bubblewrap', uid);
    expect(report.layers).toContain('seccomp');
    expect(report.succeeded).toEqual({});
    expectBounds(report);
    expectIsolation(report);
  });

  test('makes no system call with native code that could leave it, and holds no 1,200 MiB in any way', async () => {
    expectNamed(libraries, 'The C compiler is missing on this machine. Install gcc or clang.').toBeDefined();
    const { native, threads, hoards, lingering, atOnce } = await reportOf('bubblewrap', uid, libraries);
    console.log(native!.map(([name, , actual]) => `  ${actual}  ${name}`).join('\n'));
    expect(native!.filter(([, expected, actual]) => actual !== expected)).toEqual([]);
    expect(native!.length).toBeGreaterThan(100);
    expect(threads).toBe('PROCESSING_LIMIT');
    expect(hoards).toEqual(HOARDS);
    expect(lingering).toMatchObject({ first: 'none', next: 'none' });
    const [before, after] = lingering!.looks;
    console.log(`after a task: ${JSON.stringify(after)}; threads at once: ${atOnce}`);
    expect(after).toEqual(before);
    expect(after.threads).toBeGreaterThan(0);
    expect(atOnce).toBeGreaterThan(50);
    expect(atOnce).toBeLessThan(KERNEL_THREADS);
  });

  test('cannot read, write or start anything under the permission model alone, but has the network', async () => {
    expectNamed(
      hasPermissionModel,
      'The layer "Node.js permissions" is missing: this Node.js has no --allow-addons.',
    ).toBe(true);
    const report = await reportOf('process', uid);
    expect(report.layers).toContain('Node.js permissions');
    const open = Object.keys(report.succeeded);
    expect(open.filter((attempt) => /^(read|list the|write|make|start)/.test(attempt))).toEqual([]);
    // Documents the limit of this layer.
    expect(open).toContain('connect to a port of this machine');
    expectBounds(report);
  });
});
