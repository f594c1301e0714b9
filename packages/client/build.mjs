#!/usr/bin/env node
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addTypesAndLicence } from '../../scripts/package/package-types.mjs';
import { PACKAGE_SOURCES } from '../../scripts/package/package-sources.mjs';
import { IN_CLIENT, packageLicences } from '../../scripts/package/notices.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;
const root = join(folder, '..', '..');

/**
 * Builds this package: one module for `import`, one for `require`, and their types. It has no dependencies, so that a page can load the
 * module as it is. `workflow`, `worker` and `testing` are for callers in Temporal, with the packages of Temporal that they have.
 */
async function buildPackage() {
  const outDir = join(folder, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  await bundleClient(outDir, { es: 'index.js', cjs: 'index.cjs' });
  const source = join(folder, 'src');
  for (const format of /** @type {const} */ (['es', 'cjs'])) {
    await bundleForTemporal({ workflow: join(source, 'temporal', 'workflow.ts') }, outDir, format);
    await bundleForTemporal({ worker: join(source, 'temporal', 'worker.ts') }, outDir, format);
    await bundleForTemporal({ testing: join(source, 'testing', 'index.ts') }, outDir, format);
  }
  await bundleForTemporal({ 'fake-enhancement': join(source, 'testing', 'fake-enhancement.ts') }, outDir, 'es');
  await addTypesAndLicence(root, folder);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  writeFileSync(join(outDir, 'licences.txt'), packageLicences(root, packages, IN_CLIENT).join('\n'));
}

/**
 * Bundles the client with all that it imports, without its modules for Temporal.
 * @param {string} outDir
 * @param {Partial<Record<'es' | 'cjs', string>>} names of the modules by their format
 */
export async function bundleClient(outDir, names) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    resolve: { alias: PACKAGE_SOURCES },
    build: {
      outDir,
      target: 'es2023',
      minify: false,
      lib: {
        entry: join(folder, 'src', 'index.ts'),
        formats: /** @type {('es' | 'cjs')[]} */ (Object.keys(names)),
        fileName: (format) => names[/** @type {'es' | 'cjs'} */ (format)] ?? '',
      },
    },
  });
}

/**
 * Bundles one module for callers in Temporal. Zod is part of it. Packages of Temporal and the client stay outside.
 * @param {Record<string, string>} input its name with the path of its source
 * @param {string} outDir
 * @param {'es' | 'cjs'} format
 */
async function bundleForTemporal(input, outDir, format) {
  const { build } = await import('vite');
  const entryFileNames = `[name].${format === 'es' ? 'js' : 'cjs'}`;
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    resolve: { alias: PACKAGE_SOURCES },
    ssr: { noExternal: ['zod'] },
    build: {
      outDir,
      emptyOutDir: false,
      ssr: true,
      target: 'node20',
      minify: false,
      rolldownOptions: { input, external: ['@burnish/client'], output: { format, entryFileNames } },
    },
  });
}

if (process.argv[1] === import.meta.filename) await runAsMain(buildPackage);
