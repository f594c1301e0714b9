#!/usr/bin/env node
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModules, sourcesOf } from '../../scripts/package/bundle-modules.mjs';
import { runtimeByPlatform } from '../../scripts/package/onnxruntime.mjs';
import { writeLicencesInside } from '../../scripts/package/notices.mjs';
import { addTypes } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;
const root = join(folder, '..', '..');

/**
 * Builds this package: its modules with the reader of PDFs, their types, and the terms of its fonts, its networks and the packages in its
 * bundles. Other packages of npm stay outside. npm chooses the runtime of the networks by the machine.
 */
async function buildPackage() {
  const outDir = join(folder, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  await bundleModules(outDir, sourcesOf(folder, ['index', 'contract', 'host', 'schemas', 'tasks']), {
    plugins: [runtimeByPlatform()],
  });
  await addTypes(root, folder);
  copyFileSync(join(root, 'THIRD-PARTY.md'), join(outDir, 'THIRD-PARTY.md'));
  writeLicencesInside(root, 'engine');
}

await runAsMain(buildPackage);
