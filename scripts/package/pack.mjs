#!/usr/bin/env node
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError, run, runAsMain } from '../process.mjs';
import { withSetupLock, root, setup, setupPackages } from '../setup.mjs';
import { FROM_NPM, MANIFESTS, bundlePackages } from './bundle-packages.mjs';
import { mendLinks } from './links.mjs';
import { writeNotices } from './notices.mjs';
import { packRuntimes, runtimeDependencies } from './onnxruntime.mjs';
import { repositoryUrl } from './repository-url.mjs';

const ENGINE = '@burnish/engine';

/**
 * Makes the package of the product, or with `--workspace @burnish/client` that of a public package: builds it, and packs a copy of it in a
 * folder of its own, so that commands of the clone go on meanwhile. With the engine come the packages of its networks' native code.
 * @param {readonly string[]} args of `npm pack`, such as `--pack-destination`
 */
async function pack(args) {
  const at = args.indexOf('--workspace');
  const name = at < 0 ? undefined : args[at + 1];
  await (name === undefined ? setup({ quiet: true }) : setupPackages());
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'package-'));
  try {
    await withSetupLock(() => (name === undefined ? copyProduct(folder) : copyPublicPackage(folder, name)));
    const others = at < 0 ? args : args.toSpliced(at, 2);
    const result = await run('npm', ['pack', folder, ...others], { cwd: process.env['INIT_CWD'] ?? process.cwd() });
    if (result.code !== 0) throw new SetupError('npm could not make the package; its reasons are above.');
    if (name === ENGINE) await packRuntimes(root, others);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function copyProduct(folder) {
  const manifest = readManifest('');
  copyFiles('', folder, manifest);
  bundlePackages(root, join(folder, 'dist', 'node_modules'));
  await writeNotices(root, join(folder, 'dist'));
  const dependencies = MANIFESTS.map((place) => readManifest(place).dependencies);
  await finish('', folder, packedManifest(manifest, Object.assign({}, ...dependencies)));
}

/**
 * @param {string} folder
 * @param {string} name such as `@burnish/client`
 */
async function copyPublicPackage(folder, name) {
  const places = readdirSync(join(root, 'packages')).map((entry) => join('packages', entry));
  const place = places.find((each) => readManifest(each)['name'] === name);
  const { scripts: _, devDependencies: __, private: isPrivate, ...manifest } = readManifest(place ?? '');
  if (place === undefined || isPrivate) throw new SetupError(`There is no public package ${name}.`);
  const { code } = await run(process.execPath, [join(root, place, 'build.mjs')], { cwd: root });
  if (code !== 0) throw new SetupError(`The build of ${name} failed; its reasons are above.`);
  copyFiles(place, folder, manifest);
  const runtimes = name === ENGINE && { optionalDependencies: runtimeDependencies(String(manifest['version'])) };
  await finish(place, folder, { ...manifest, ...runtimes });
}

/**
 * @param {string} place
 * @returns {Manifest}
 */
const readManifest = (place) => JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8'));

/**
 * @param {string} place
 * @param {string} folder
 * @param {Manifest} manifest
 */
function copyFiles(place, folder, { files }) {
  const [listed, excluded] = [
    files.filter((path) => !path.startsWith('!')),
    files.filter((path) => path.startsWith('!')),
  ];
  for (const path of [...listed, 'README.md']) cpSync(join(root, place, path), join(folder, path), { recursive: true });
  // npm leaves out those with a pattern. A link to one of the others is dead.
  for (const path of excluded.filter((each) => !each.includes('*')))
    rmSync(join(folder, path.slice(1)), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/**
 * Writes the manifest, and lets each link lead to a file.
 * @param {string} place
 * @param {string} folder
 * @param {Manifest} manifest
 */
async function finish(place, folder, manifest) {
  const url = await repositoryUrl(root);
  const repository = url && { type: 'git', url: `git+${url}.git`, ...(place !== '' && { directory: place }) };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
  mendLinks(folder, root, place, url && `${url}/blob/v${manifest['version']}`);
}

/** @typedef {Record<string, unknown> & { files: string[], dependencies?: Record<string, string> }} Manifest of the clone */

/**
 * The manifest of the package: public, without scripts and development packages, and with only the dependencies that npm installs.
 * @param {Manifest} manifest
 * @param {Record<string, string>} dependencies of the product
 */
export function packedManifest(
  {
    private: _,
    dependencies: __,
    devDependencies: ___,
    scripts: ____,
    overrides: _____,
    workspaces: ______,
    ...manifest
  },
  dependencies,
) {
  const fromNpm = Object.entries(dependencies).filter(([name]) => FROM_NPM.includes(name));
  return { ...manifest, os: ['linux', 'darwin'], cpu: ['x64', 'arm64'], dependencies: Object.fromEntries(fromNpm) };
}

if (process.argv[1] === import.meta.filename) await runAsMain(() => pack(process.argv.slice(2)));
