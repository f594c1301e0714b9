#!/usr/bin/env node
import { join } from 'node:path';
import { bundleModules } from '../../scripts/package/bundle-modules.mjs';
import { addTypesAndLicence } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;

/** Builds this package: the module of the parent, the program of its children, and the types. It has no dependencies. */
async function buildPackage() {
  await bundleModules(folder, join(folder, 'dist'), ['index', 'jail-child']);
  await addTypesAndLicence(join(folder, '..', '..'), folder);
}

await runAsMain(buildPackage);
