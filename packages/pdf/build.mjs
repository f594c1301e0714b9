#!/usr/bin/env node
import { join } from 'node:path';
import { bundleModules } from '../../scripts/package/bundle-modules.mjs';
import { addTypesAndLicence } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;

/** Builds this package: one module, and its types. It has no dependencies. */
async function buildPackage() {
  await bundleModules(folder, join(folder, 'dist'), ['index']);
  await addTypesAndLicence(join(folder, '..', '..'), folder);
}

await runAsMain(buildPackage);
