import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);

interface TestCount {
  passed: number;
  failed: number;
  skipped: number;
}
const load = (script: string): Promise<unknown> => import(join(repositoryRoot, 'scripts', script));
const { checkNode } = (await load('process.mjs')) as { checkNode(version: string): void };
const { fingerprint } = (await load('fingerprint.mjs')) as { fingerprint(root: string, entries: string[]): string };
const { installFailure } = (await load('install-failure.mjs')) as { installFailure(output: string): string };
const { withLock } = (await load('setup-lock.mjs')) as {
  withLock<T>(file: string, work: () => Promise<T>): Promise<T>;
};
const { countTests, closingLine, leftOut, secondTries, slowestFiles } = (await load('test-count.mjs')) as {
  countTests(report: unknown, exitCode: number): TestCount;
  closingLine(count: TestCount): string;
  leftOut(report: unknown): string[];
  secondTries(report: unknown): string[];
  slowestFiles(report: unknown, count: number): string[];
};

/** Milliseconds; a build on a busy machine takes more than half a minute. */
const SEVERAL_BUILDS = 300_000;

describe('setup', () => {
  test.each(['20.19.0', '20.20.2', '22.1.0', '24.0.0'])('accepts Node.js %s', (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });

  test.each(['18.20.4', '20.18.3', '8.0.0'])('refuses Node.js %s in one sentence', (version) => {
    expect(() => checkNode(version)).toThrow(`Burnish needs Node.js 20.19 or later, and this is Node.js ${version}.`);
  });

  test.each([
    ['npm error code ENOTFOUND', 'cannot be reached'],
    ['npm error code ENOSPC', 'the disk is full'],
    ['npm error code EUSAGE', 'package-lock.json do not agree'],
    ['npm error code EACCES', 'may not write'],
    ['npm error something else', 'the reasons are above'],
  ])('explains %s', (output, sentence) => {
    expect(installFailure(output)).toContain(sentence);
  });

  test('detects a change of content, name and path, and none in a new copy', async () => {
    await using folder = await temporaryFolder();
    const write = async (name: string, text: string): Promise<string> => {
      await mkdir(join(folder.path, name, 'src'), { recursive: true });
      await writeFile(join(folder.path, name, 'src', text === 'renamed' ? 'b' : 'a'), text === 'other' ? '2' : '1');
      return fingerprint(join(folder.path, name), ['src', 'absent']);
    };
    const first = await write('one', 'same');
    expect(await write('two', 'same')).toBe(first);
    expect(await write('three', 'other')).not.toBe(first);
    expect(await write('four', 'renamed')).not.toBe(first);
  });

  test('admits one process at a time, and continues after one that died', async () => {
    await using folder = await temporaryFolder();
    const lock = join(folder.path, 'lock');
    const ended = execute(process.execPath, ['-e', '']);
    await ended;
    await writeFile(lock, String(ended.child.pid));
    const steps: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      steps.push(`${name} ends`);
    };
    await Promise.all([withLock(lock, work('one')), withLock(lock, work('two'))]);
    expect(steps.map((step) => step.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  test(
    'builds a clone once, runs the command in the same process, and builds again when a source changes',
    async () => {
      await using folder = await temporaryFolder();
      const root = folder.path;
      for (const name of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json']) {
        await cp(join(repositoryRoot, name), join(root, name), { recursive: true });
      }
      await mkdir(join(root, 'node_modules'));
      await writeFile(join(root, 'node_modules', '.burnish-packages'), fingerprint(root, ['package-lock.json']));
      await symlinkPackages(join(root, 'node_modules'));
      const packages = join(root, 'packages');
      for (const name of ['client', 'contract', 'dashboard', 'engine', 'jail', 'pdf']) {
        await mkdir(join(packages, name, 'src'), { recursive: true });
        await cp(join(repositoryRoot, 'packages', name, 'package.json'), join(packages, name, 'package.json'));
      }
      await cp(join(repositoryRoot, 'packages', 'dashboard', 'build.mjs'), join(packages, 'dashboard', 'build.mjs'));
      for (const path of ['docs', 'examples', 'README.md', 'packages/guide', 'packages/dashboard/src/styles'])
        await cp(join(repositoryRoot, path), join(root, path), { recursive: true });
      for (const name of ['index', 'engine', 'schemas'])
        await writeFile(join(packages, 'contract', 'src', `${name}.ts`), 'export {};\n');
      await writeFile(join(packages, 'client', 'src', 'index.ts'), 'export const code = 7;\n');
      for (const name of ['host', 'tasks'])
        await writeFile(join(packages, 'engine', 'src', `${name}.ts`), 'export const tasks = 1;\n');
      for (const name of ['fonts', 'models']) await mkdir(join(packages, 'engine', name));
      await writeFile(join(packages, 'jail', 'src', 'index.ts'), 'export {};\n');
      await mkdir(join(root, 'src', 'workflows'), { recursive: true });
      await mkdir(join(root, 'src', 'database', 'migrations'), { recursive: true });
      await writeFile(join(packages, 'jail', 'src', 'jail-child.ts'), "console.log('child');\n");
      await writeFile(join(packages, 'dashboard', 'src', 'index.html'), '<!doctype html><title>Dashboard</title>');
      await writeFile(join(root, 'src', 'database', 'migrations', '0000.sql'), 'SELECT 1;');
      await writeFile(join(root, 'src', 'workflows', 'index.ts'), 'export async function idle(): Promise<void> {}\n');
      await writeFile(
        join(root, 'src', 'workflows', 'sealed-payloads.ts'),
        'export const interceptors = () => ({});\n',
      );
      await writeFile(join(root, 'src', 'workflows', 'shared-modules.ts'), 'export {};\n');
      await writeFile(
        join(root, 'src', 'cli.ts'),
        "import { code } from '@burnish/client';\nconsole.log(process.argv.slice(2).join('+'));\nprocess.exitCode = code;\n",
      );
      const burnish = (): Promise<{ code: number; stdout: string; stderr: string }> =>
        execute(process.execPath, [join(root, 'scripts', 'burnish.cjs'), 'up', '--now']).then(
          () => ({ code: 0, stdout: '', stderr: '' }),
          (error: { code: number; stdout: string; stderr: string }) => error,
        );

      expect(await burnish()).toMatchObject({ code: 7, stdout: 'up+--now\n', stderr: 'Building ...\n' });
      expect(await readFile(join(root, 'dist', 'database', 'migrations', '0000.sql'), 'utf8')).toBe('SELECT 1;');
      expect(await readFile(join(root, 'dist', 'workflow-bundle.js'), 'utf8')).toContain('idle');
      const engine = join(root, 'dist', 'node_modules', '@burnish', 'engine');
      expect(await readFile(join(engine, 'child', 'jail-child.cjs'), 'utf8')).toContain('child');
      expect(await readFile(join(root, 'dist', 'dashboard', 'index.html'), 'utf8')).toContain('Dashboard');
      expect(await burnish()).toMatchObject({ code: 7, stderr: '' });
      await writeFile(join(packages, 'client', 'src', 'index.ts'), 'export const code = 5;\n');
      // This is `npm run build`. The next start takes its result.
      await execute(process.execPath, [join(root, 'scripts', 'build.mjs')]);
      expect(await burnish()).toMatchObject({ code: 5, stderr: '' });
      await writeFile(join(root, 'src', 'cli.ts'), 'export const x: number = ;\n');
      const broken = await burnish();
      expect(broken.code).toBe(1);
      expect(broken.stderr).toContain('src/cli.ts(1,26): error TS1109: Expression expected.');
      expect(broken.stderr.trimEnd()).toMatch(/The build failed; the reasons are above\.$/);
    },
    SEVERAL_BUILDS,
  );
});

describe('the closing line of the tests', () => {
  const file = (status: string, ...tests: string[]): unknown => ({
    status,
    assertionResults: tests.map((each) => ({ status: each })),
  });

  test('counts tests, and names skipped ones only if there are any', () => {
    const report = { testResults: [file('passed', 'passed', 'passed'), file('failed', 'passed', 'failed', 'pending')] };
    expect(closingLine(countTests(report, 1))).toBe('3 passed, 1 failed, 1 skipped');
    expect(closingLine(countTests({ testResults: [file('passed', 'passed')] }, 0))).toBe('1 passed, 0 failed');
  });

  test('counts several runs together', async () => {
    await using folder = await temporaryFolder();
    const TEST_COUNTS = join(folder.path, 'counts');
    const runs = [
      { passed: 5, failed: 0, skipped: 0 },
      { passed: 2, failed: 1, skipped: 1 },
    ];
    await writeFile(TEST_COUNTS, runs.map((run) => `${JSON.stringify(run)}\n`).join(''));
    const script = join(repositoryRoot, 'scripts', 'test-count.mjs');
    const { stdout } = await execute(process.execPath, [script], { env: { ...process.env, TEST_COUNTS } });
    expect(stdout).toBe('7 passed, 1 failed, 1 skipped\n');
  });

  test('counts a file that does not load, and an error outside of every test, as one failure', () => {
    expect(closingLine(countTests({ testResults: [file('failed')] }, 1))).toBe('0 passed, 1 failed');
    expect(closingLine(countTests({ testResults: [file('passed', 'passed')] }, 1))).toBe('1 passed, 1 failed');
  });
});

test('a test that passes only at its second attempt is reported with its first failure', () => {
  const passed = { status: 'passed', fullName: 'a link opens', failureMessages: [] };
  const late = {
    status: 'passed',
    fullName: 'a page has a title',
    failureMessages: ["Error: expected '' to be 'Uploads'"],
  };
  const failed = { status: 'failed', fullName: 'a page loads', failureMessages: ['Error: no', 'Error: no'] };
  const report = { testResults: [{ name: 'test/page.test.ts', assertionResults: [passed, late, failed] }] };
  expect(secondTries(report)).toEqual([
    "Passed at the second try only: test/page.test.ts: a page has a title\nError: expected '' to be 'Uploads'",
  ]);
  expect(secondTries({ testResults: [] })).toEqual([]);
});

test('tests that the machine lacks something for are listed with their need', () => {
  const named = (status: string, fullName: string): unknown => ({ status, fullName });
  const assertionResults = [
    named('passed', 'bash completes a line'),
    named('pending', 'zsh completes a line [needs zsh of the package zsh]'),
    // As where `--testNamePattern` leaves tests out.
    named('pending', 'fish completes a line'),
  ];
  expect(leftOut({ testResults: [{ name: '/clone/test/cli/completion.full.ts', assertionResults }] })).toEqual([
    '1 test was skipped, since this machine lacks what it needs:',
    '  completion.full.ts: zsh completes a line [needs zsh of the package zsh]',
  ]);
  expect(leftOut({ testResults: [] })).toEqual([]);
});

test('the slowest files are listed first, with the processor time of their process', () => {
  const files = [
    { name: 'a.test.ts', seconds: 1, processorSeconds: 0.5 },
    { name: 'b.test.ts', seconds: 12.34, processorSeconds: 4.56 },
    { name: 'c.test.ts', seconds: 2 },
  ];
  expect(slowestFiles({ testResults: files }, 2)).toEqual([
    '12.3 s, 4.6 CPU s, b.test.ts',
    '2.0 s, 0.0 CPU s, c.test.ts',
  ]);
  expect(slowestFiles({ testResults: files }, 0)).toEqual([]);
});

/** The packages of this clone, so that nothing has to be installed. */
async function symlinkPackages(target: string): Promise<void> {
  for (const name of [
    'typescript',
    '@temporalio',
    '@types',
    'undici-types',
    'vite',
    'graphql',
    'markdown-it',
    'minisearch',
  ]) {
    await symlink(join(repositoryRoot, 'node_modules', name), join(target, name));
  }
}
