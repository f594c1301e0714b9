#!/usr/bin/env node
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModules } from '../../scripts/package/bundle-modules.mjs';
import { addTypesAndLicence } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;

const root = join(folder, '..', '..');

/** Builds this package: its modules with the reader of PDFs, their types, and the terms of its fonts and networks. Packages of npm stay outside. */
async function buildPackage() {
  await bundleEngine(join(folder, 'dist'));
  await addTypesAndLicence(root, folder);
  copyFileSync(join(root, 'THIRD-PARTY.md'), join(folder, 'dist', 'THIRD-PARTY.md'));
}

/** @param {string} outDir a folder beside the fonts and the networks */
export const bundleEngine = (outDir) =>
  bundleModules(folder, outDir, ['index', 'contract', 'host', 'schemas', 'tasks']);

if (process.argv[1] === import.meta.filename) await runAsMain(buildPackage);
