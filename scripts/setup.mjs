#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuildFresh } from './build-stamp.mjs';
import { fingerprint, isStamped } from './fingerprint.mjs';
import { installFailure } from './install-failure.mjs';
import { SetupError, checkNode, checkSystem, run, runAsMain } from './process.mjs';
import { withLock } from './setup-lock.mjs';

/** With npm's default waits, a missing network takes over a minute to fail. */
const BRIEF_RETRIES = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** The folder with package.json. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Prepares the clone: checks Node, installs packages after a change of the lockfile, and builds dist/ after a change of
 * sources. When all is up to date, it takes well under a second.
 * @param {{ quiet?: boolean }} [options] quiet: say nothing unless there is work to do
 * @throws {SetupError} with one sentence that says what to do
 */
export async function setup({ quiet = false } = {}) {
  await setupPackages();
  if (!isBuildFresh(root)) {
    await withSetupLock(async () => {
      if (!isBuildFresh(root)) await build();
    });
  }
  // Its packages are there only now.
  const { buildGuide, isGuideFresh } = await import('./build-guide.mjs');
  if (!isGuideFresh(root)) {
    await withSetupLock(async () => {
      if (!isGuideFresh(root)) await buildGuide(root);
    });
  }
  if (!quiet) console.log('Everything is in place.');
}

/**
 * The part of `setup` that comes before a build.
 * @throws {SetupError} with one sentence that says what to do
 */
export async function setupPackages() {
  checkNode(process.versions.node);
  checkSystem();
  if (packagesAreFresh()) return;
  await withSetupLock(async () => {
    if (!packagesAreFresh()) await install();
  });
}

/**
 * Runs work that installs, builds or reads a whole build, once no other command of the clone does.
 * @param {() => Promise<void>} work
 */
export const withSetupLock = (work) => withLock(join(root, '.cache', 'setup.lock'), work);

const packagesStamp = () => join(root, 'node_modules', '.burnish-packages');
const packagesFingerprint = () => fingerprint(root, ['package-lock.json']);
const packagesAreFresh = () => isStamped(packagesStamp(), packagesFingerprint());

async function install() {
  console.error('Installing packages (about a minute the first time) ...');
  const npm = npmCommand();
  const args = [...npm.args, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', ...BRIEF_RETRIES];
  const wanted = packagesFingerprint();
  const result = await run(npm.command, args, { cwd: root, quiet: true }).catch((/** @type {unknown} */ error) => {
    throw new SetupError(`npm could not be started: install it with Node.js (${String(error)}).`);
  });
  if (result.code !== 0) throw new SetupError(`${result.output.trimEnd()}\n\n${installFailure(result.output)}`);
  writeFileSync(packagesStamp(), wanted);
}

/** The npm that runs this script, else the one of this Node installation, else the one on PATH. */
function npmCommand() {
  const beside = join(process.execPath, '..', '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const running = process.env['npm_execpath'];
  for (const script of [running, beside]) {
    if (script?.endsWith('npm-cli.js') && existsSync(script)) return { command: process.execPath, args: [script] };
  }
  return { command: 'npm', args: [] };
}

async function build() {
  console.error('Building ...');
  const result = await run(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, quiet: true });
  if (result.code !== 0) throw new SetupError(`${result.output.trimEnd()}\n\nThe build failed; the reasons are above.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runAsMain(() => setup());
