#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addTypesAndLicence } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;
const root = join(folder, '..', '..');

/** Builds this package: the module of the parent, the program of its children, and the types. It has no dependencies. */
async function buildPackage() {
  await bundleJail(join(folder, 'dist'));
  await addTypesAndLicence(root, folder);
}

/**
 * Bundles the modules, and nothing beside them.
 * @param {string} outDir
 * @param {readonly string[]} names
 */
export async function bundleJail(outDir, names = ['index', 'jail-child']) {
  const { build } = await import('vite');
  rmSync(outDir, { recursive: true, force: true });
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      outDir,
      ssr: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, join(folder, 'src', `${name}.ts`)])),
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}

if (process.argv[1] === import.meta.filename) await runAsMain(buildPackage);
