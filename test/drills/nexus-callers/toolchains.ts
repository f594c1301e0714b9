import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { recentGo } from '../../support/go-toolchain.ts';
import { repositoryRoot } from '../../support/repository.ts';

const execute = promisify(execFile);

/** Versions of the SDKs that the callers use. */
const GO_SDK = 'go.temporal.io/sdk@v1.50.0';
const PYTHON_SDK = 'temporalio==1.35.0';
const LEAST_GO = [1, 24] as const;

/** A program in a language, and its arguments. */
export type Program = readonly [string, ...string[]];

/** Builds a program of Go files. Takes minutes of CPU time at the first build of a machine. */
export async function buildGo(files: ReadonlyMap<string, string>, folder: string): Promise<Program> {
  const go = await recentGo(LEAST_GO);
  if (go === undefined) throw new Error(`Go ${LEAST_GO.join('.')} or later is missing: install it from go.dev.`);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'go.mod'), 'module caller\n\ngo 1.24\n');
  const run = (...args: string[]) => execute(go, args, { cwd: folder, env: { ...process.env, GOTOOLCHAIN: 'local' } });
  await run('get', GO_SDK);
  await run('mod', 'tidy');
  await run('build', '-o', 'caller', '.');
  return [join(folder, 'caller')];
}

/** An environment of Python with the SDK, and the program in it. */
export async function preparePython(source: string, folder: string): Promise<Program> {
  const environment = join(repositoryRoot, '.cache', `python-${PYTHON_SDK.replace('==', '-')}`);
  const python = join(environment, 'bin', 'python');
  await execute('python3', ['-m', 'venv', environment]);
  await execute(python, ['-m', 'pip', 'install', '--quiet', PYTHON_SDK]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'main.py'), source);
  return [python, join(folder, 'main.py')];
}

/** A program of TypeScript files, run from source with the packages of this checkout, and its built client. */
export async function prepareTypeScript(files: ReadonlyMap<string, string>, folder: string): Promise<Program> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  const tsx = join(repositoryRoot, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  await execute(process.execPath, [join(repositoryRoot, 'packages', 'client', 'build.mjs')], { cwd: repositoryRoot });
  return [process.execPath, tsx, join(folder, 'main.ts')];
}
