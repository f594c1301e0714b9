#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addTypesAndLicence } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;
const root = join(folder, '..', '..');

/** Builds this package: one module, and its types. It has no dependencies. */
async function buildPackage() {
  await bundlePdf(join(folder, 'dist'));
  await addTypesAndLicence(root, folder);
}

/**
 * Bundles the module, and nothing beside it.
 * @param {string} outDir
 */
export async function bundlePdf(outDir) {
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
        input: join(folder, 'src', 'index.ts'),
        output: { format: 'es', entryFileNames: 'index.js' },
      },
    },
  });
}

if (process.argv[1] === import.meta.filename) await runAsMain(buildPackage);
