#!/usr/bin/env node
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSIDE, bundleModules } from '../../scripts/package/bundle-modules.mjs';
import { writeLicencesInside } from '../../scripts/package/notices.mjs';
import { PACKAGE_SOURCES } from '../../scripts/package/package-sources.mjs';
import { addTypes } from '../../scripts/package/package-types.mjs';
import { runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;
const root = join(folder, '..', '..');

/**
 * Builds this package and its types. In Node.js, `import` and `require` load the same CommonJS module, so that a process has one class of
 * errors. Pages and their bundlers get an ES module. Neither has dependencies, so a page can load it as it is. `workflow`, `worker` and
 * `testing` are for callers in Temporal, with the packages of Temporal that they have. Each is a bundle of its own, because the sandbox of
 * workflows has no modules of Node.js.
 */
async function buildPackage() {
  const outDir = join(folder, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  await bundleForPages(outDir);
  const source = join(folder, 'src');
  const modules = {
    index: join(source, 'index.ts'),
    workflow: join(source, 'temporal', 'workflow.ts'),
    worker: join(source, 'temporal', 'worker.ts'),
    testing: join(source, 'testing', 'index.ts'),
    'fake-enhancement': join(source, 'testing', 'fake-enhancement.ts'),
  };
  for (const [name, path] of Object.entries(modules))
    await bundleModules(outDir, { [name]: path }, { inside: INSIDE.client, outside: ['@burnish/client'] });
  await addTypes(root, folder);
  writeFileSync(join(outDir, 'types', 'packages', 'client', 'src', 'index.d.ts'), "export * from './index.cjs';\n");
  writeLicencesInside(root, 'client');
}

/**
 * Bundles the client with all that it imports, without its modules for Temporal.
 * @param {string} outDir
 */
async function bundleForPages(outDir) {
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
      lib: { entry: join(folder, 'src', 'index.ts'), formats: ['es'], fileName: () => 'index.js' },
    },
  });
}

await runAsMain(buildPackage);
