#!/usr/bin/env node
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard } from '../packages/dashboard/build.mjs';
import { buildGuide } from './build-guide.mjs';
import { buildChild } from './build-child.mjs';
import { fingerprintSources, stampBuild } from './build-stamp.mjs';
import { INSIDE, bundleModules, sourcesOf } from './package/bundle-modules.mjs';
import { compile } from './compile.mjs';
import { run, runAsMain } from './process.mjs';

/**
 * Compiles src/ into dist/, copies all other files there (migrations), bundles the packages beside src/, the engine's children and the
 * workflows, and stamps the build, so that the next start takes it as it is.
 * @param {string} root the folder with tsconfig.json, src/, packages/ and dist/
 */
export async function build(root) {
  const sources = fingerprintSources(root);
  const dist = join(root, 'dist');
  rmSync(dist, { recursive: true, force: true });
  compile(root);
  const filter = (/** @type {string} */ source) => !source.endsWith('.ts');
  cpSync(join(root, 'src'), dist, { recursive: true, filter });
  const contract = sourcesOf(join(root, 'packages', 'contract'), Object.values(CONTRACT_ENTRIES));
  const contractExports = Object.entries(CONTRACT_ENTRIES).map(([path, name]) => [path, `./${name}.cjs`]);
  await buildForImport(
    root,
    'contract',
    (outDir) => bundleModules(outDir, contract),
    Object.fromEntries(contractExports),
  );
  await buildForImport(root, 'engine', (outDir) => buildEngine(root, outDir), { './host': './dist/host.cjs' });
  const client = sourcesOf(join(root, 'packages', 'client'), ['index']);
  await buildForImport(root, 'client', (outDir) => bundleModules(outDir, client, { inside: INSIDE.client, outside }));
  const jail = sourcesOf(join(root, 'packages', 'jail'), ['index']);
  await buildForImport(root, 'jail', (outDir) => bundleModules(outDir, jail));
  await bundleWorkflows(dist);
  await buildDashboard(join(dist, 'dashboard'));
  await buildGuide(root);
  const commit = process.env['BURNISH_COMMIT'] || (await readCommit(root));
  if (commit !== undefined) writeFileSync(join(dist, 'build-commit'), commit.slice(0, COMMIT_LENGTH));
  stampBuild(root, sources);
}

const COMMIT_LENGTH = 12;

/**
 * The commit of a clone.
 * @param {string} root
 * @returns {Promise<string | undefined>} undefined for sources without a repository of their own
 */
async function readCommit(root) {
  const git = (/** @type {string[]} */ ...args) =>
    run('git', args, { cwd: root, quiet: true }).catch(() => ({ code: 1, output: '' }));
  // Sources inside of another repository are not at its root.
  const { code, output } = await git('rev-parse', '--show-prefix', 'HEAD');
  const [prefix, commit] = output.split('\n');
  return code === 0 && prefix === '' ? commit : undefined;
}

/**
 * Modules of dist/ import a package by its name, as any program does. They find this bundle of it.
 * @param {string} root
 * @param {string} packageName
 * @param {(outDir: string) => Promise<void>} bundle
 * @param {string | Record<string, string>} exports of its manifest
 */
async function buildForImport(root, packageName, bundle, exports = './index.cjs') {
  const outDir = join(root, 'dist', 'node_modules', '@burnish', packageName);
  await bundle(outDir);
  const manifestPath = join(root, 'packages', packageName, 'package.json');
  const { name, version, license } = JSON.parse(readFileSync(manifestPath, 'utf8'));
  const manifest = { name, version, license, type: 'module', exports };
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(manifest)}\n`);
}

/** The entries of the contract, by their path and the module of each. */
const CONTRACT_ENTRIES = { '.': 'index', './engine': 'engine', './schemas': 'schemas' };
/** Bundles beside that of the contract load it, so that the process has each of its classes once. */
const outside = Object.keys(CONTRACT_ENTRIES).map((path) => join('@burnish/contract', path));

/**
 * The part that the service imports, and its children, whose bundles contain all that they load.
 * @param {string} root
 * @param {string} outDir
 */
async function buildEngine(root, outDir) {
  const engine = join(root, 'packages', 'engine');
  await bundleModules(join(outDir, 'dist'), sourcesOf(engine, ['host']), { outside });
  await buildChild(join(outDir, 'child'));
  for (const name of ['fonts', 'models']) cpSync(join(engine, name), join(outDir, name), { recursive: true });
}

/**
 * Frames of a call stack in workflow code. The SDK records the stack of each promise, and maps each frame to its source. A
 * file costs a tenth less CPU time than with the ten frames of Node.js.
 */
const STACK_FRAMES = 4;

/**
 * Bundles the workflows once, so that workers start without webpack and all run the same workflow code.
 * @param {string} dist
 */
async function bundleWorkflows(dist) {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const workflowsPath = join(dist, 'workflows', 'index.js');
  const workflowInterceptorModules = [join(dist, 'workflows', 'sealed-payloads.js')];
  const failureConverterPath = join(dist, 'workflows', 'failure-converter.js');
  const preloadModules = [join(dist, 'workflows', 'shared-modules.js')];
  const logger = new DefaultLogger('WARN');
  const options = { workflowsPath, workflowInterceptorModules, failureConverterPath, preloadModules, logger };
  const { code } = await bundleWorkflowCode(options);
  // The same line, so that the source map still fits.
  writeFileSync(join(dist, 'workflow-bundle.js'), `Error.stackTraceLimit = ${STACK_FRAMES}; ${code}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runAsMain(() => build(fileURLToPath(new URL('..', import.meta.url))));
}
