#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModules, sourcesOf } from '../../scripts/package/bundle-modules.mjs';
import { addTypes } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;

/** Builds this package: one module, and its types. It has no dependencies. */
async function buildPackage() {
  const outDir = join(folder, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  await bundleModules(outDir, sourcesOf(folder, ['index']));
  await addTypes(join(folder, '..', '..'), folder);
}

await runAsMain(buildPackage);
