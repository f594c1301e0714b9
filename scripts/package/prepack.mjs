#!/usr/bin/env node
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError, runAsMain } from '../process.mjs';
import { root, setup } from '../setup.mjs';
import { FROM_NPM, bundlePackages } from './bundle-packages.mjs';
import { writeNotices } from './notices.mjs';

/** Where the manifest of the clone waits until `npm pack` has ended. */
export const KEPT_MANIFEST = join(root, '.cache', 'package.json');
export const MANIFEST = join(root, 'package.json');

/**
 * Prepares the clone for `npm pack`: builds, copies the packages into dist/node_modules, and writes the manifest of the package in
 * place of that of the clone. `postpack.mjs` takes both away again.
 */
async function prepack() {
  if (existsSync(KEPT_MANIFEST))
    throw new SetupError(
      'An earlier npm pack was interrupted, or another one runs. If none runs: node scripts/package/postpack.mjs',
    );
  await setup({ quiet: true });
  bundlePackages(root, join(root, 'dist', 'node_modules'));
  await writeNotices(root, join(root, 'dist'));
  const text = readFileSync(MANIFEST, 'utf8');
  mkdirSync(dirname(KEPT_MANIFEST), { recursive: true });
  writeFileSync(KEPT_MANIFEST, text);
  writeFileSync(MANIFEST, `${JSON.stringify(packedManifest(JSON.parse(text)), null, 2)}\n`);
}

/**
 * The manifest of the package: without scripts and development packages, and with only the dependencies that npm installs.
 * @param {Record<string, unknown> & { dependencies: Record<string, string> }} manifest of the clone
 */
export function packedManifest({
  dependencies,
  devDependencies: _,
  scripts: __,
  overrides: ___,
  workspaces: ____,
  ...manifest
}) {
  const fromNpm = Object.entries(dependencies).filter(([name]) => FROM_NPM.includes(name));
  return { ...manifest, os: ['linux', 'darwin'], cpu: ['x64', 'arm64'], dependencies: Object.fromEntries(fromNpm) };
}

if (process.argv[1] === import.meta.filename) await runAsMain(prepack);
