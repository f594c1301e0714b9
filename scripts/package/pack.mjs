#!/usr/bin/env node
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError, run, runAsMain } from '../process.mjs';
import { withSetupLock, root, setup } from '../setup.mjs';
import { FROM_NPM, MANIFESTS, bundlePackages } from './bundle-packages.mjs';
import { writeNotices } from './notices.mjs';

/** Files that npm adds to every package, beside those that the manifest lists. */
const ALWAYS = ['LICENSE', 'README.md'];

/**
 * Makes the package of the product: builds the clone, and packs a copy of it with all packages in a folder of its own, so that
 * commands of the clone go on meanwhile.
 * @param {readonly string[]} args of `npm pack`, such as `--pack-destination`
 */
async function pack(args) {
  await setup({ quiet: true });
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'package-'));
  try {
    await withSetupLock(async () => copyProduct(folder));
    const result = await run('npm', ['pack', folder, ...args], { cwd: process.env['INIT_CWD'] ?? process.cwd() });
    if (result.code !== 0) throw new SetupError('npm could not pack the product; its reasons are above.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function copyProduct(folder) {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const listed = MANIFESTS.map(
    (place) => JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8')).dependencies,
  );
  const paths = manifest.files.filter((path) => !path.startsWith('!'));
  for (const path of [...paths, ...ALWAYS]) cpSync(join(root, path), join(folder, path), { recursive: true });
  bundlePackages(root, join(folder, 'dist', 'node_modules'));
  await writeNotices(root, join(folder, 'dist'));
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify(packedManifest(manifest, Object.assign({}, ...listed)), null, 2)}\n`,
  );
}

/** @typedef {Record<string, unknown> & { files: string[] }} Manifest of the clone */

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
