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
 * module as it is. `testing` is for Node.js, with the packages of Temporal that its user has.
 */
async function buildPackage() {
  const outDir = join(folder, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  await bundleClient(outDir, { es: 'index.js', cjs: 'index.cjs' });
  const testing = join(folder, 'src', 'testing');
  await bundleTesting({ testing: join(testing, 'index.ts') }, outDir, 'es');
  await bundleTesting({ testing: join(testing, 'index.ts') }, outDir, 'cjs');
  await bundleTesting({ 'fake-enhancement': join(testing, 'fake-enhancement.ts') }, outDir, 'es');
  await addTypesAndLicence(root, folder);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  writeFileSync(join(outDir, 'licences.txt'), packageLicences(root, packages, IN_CLIENT).join('\n'));
}

/**
 * Bundles the client without `testing`, and with all that it imports.
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
 * Bundles one module of `@burnish/client/testing`. Zod is part of it, and packages of Temporal stay outside.
 * @param {Record<string, string>} input its name with the path of its source
 * @param {string} outDir
 * @param {'es' | 'cjs'} format
 */
async function bundleTesting(input, outDir, format) {
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
      rolldownOptions: { input, output: { format, entryFileNames } },
    },
  });
}

if (process.argv[1] === import.meta.filename) await runAsMain(buildPackage);
