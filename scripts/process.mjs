import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Runs a command to its end without a shell, and can capture its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, quiet?: boolean }} options quiet: keep the output instead of showing it
 * @returns {Promise<{ code: number, output: string }>} the exit code (128 when a signal ended it) and, when quiet, the output
 */
export function run(command, args, { cwd, env = process.env, quiet = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString('utf8')).slice(-64_000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? (signal === null ? 1 : 128), output }));
  });
}

/**
 * Runs a command that must succeed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} its output
 * @throws {SetupError} with its output
 */
export async function succeed(command, args, options) {
  const { code, output } = await run(command, args, { ...options, quiet: true });
  if (code !== 0) throw new SetupError(`${command} ${args.join(' ')} failed: ${output.trim()}`);
  return output.trim();
}

/** An error for the user at the terminal, printed without a stack. */
export class SetupError extends Error {
  name = 'SetupError';
}

/**
 * Runs a script's main function and turns an error into a sentence on standard error and exit code 1.
 *
 * @param {() => Promise<void>} main
 */
export async function runAsMain(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    process.exitCode = 1;
  }
}

const LOWEST_NODE = [20, 19];

/**
 * @param {string} version such as 20.19.4
 * @throws {SetupError} for a Node.js that is too old
 */
export function checkNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [lowestMajor = 0, lowestMinor = 0] = LOWEST_NODE;
  if (major > lowestMajor || (major === lowestMajor && minor >= lowestMinor)) return;
  throw new SetupError(
    `Burnish needs Node.js ${LOWEST_NODE.join('.')} or later, and this is Node.js ${version}. Install Node.js 24.`,
  );
}

/** Bytes of a program that hold the path of its loader */
const HEAD_BYTES = 4096;

/**
 * npm cannot express which systems have native code: its fields `os` and `cpu` are separate, and `libc` would refuse every Mac.
 * @param {{ platform: string, arch: string, execPath: string }} [machine]
 * @throws {SetupError} for a system whose native code is missing
 */
export function checkSystem({ platform, arch, execPath } = process) {
  if (platform === 'darwin' && arch === 'x64')
    throw new SetupError(
      'Burnish has no native code for a Mac with Intel: run it on Linux, or on a Mac with Apple silicon.',
    );
  if (platform === 'linux' && headOf(execPath).includes('/ld-musl-'))
    throw new SetupError(
      'Burnish has no native code for musl, which Alpine uses: run it on Linux with glibc, such as Debian.',
    );
}

/** @param {string} path */
function headOf(path) {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head)).toString('latin1');
  } finally {
    closeSync(file);
  }
}
