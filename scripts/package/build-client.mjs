#!/usr/bin/env node
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError, run, runAsMain } from '../process.mjs';
import { root } from '../setup.mjs';
import { packageLicences } from './notices.mjs';

/** The packages whose code is part of the bundle. */
const BUNDLED = ['eventsource-parser', 'standardwebhooks', 'fast-sha256', '@stablelib/base64', 'zod'];

/**
 * Builds packages/client from src/client: one module for `import`, one for `require`, and their types. It has no dependencies, so that a
 * page can load the module as it is. `testing` is for Node.js, with the packages of Temporal that its user has.
 */
async function buildClient() {
  const target = join(root, 'packages', 'client');
  const outDir = join(target, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      outDir,
      target: 'es2023',
      minify: false,
      lib: {
        entry: join(root, 'src', 'client', 'index.ts'),
        formats: ['es', 'cjs'],
        fileName: (format) => (format === 'es' ? 'index.js' : 'index.cjs'),
      },
    },
  });
  const testing = join(root, 'src', 'client', 'testing');
  await buildTesting({ testing: join(testing, 'index.ts') }, outDir, 'es');
  await buildTesting({ testing: join(testing, 'index.ts') }, outDir, 'cjs');
  await buildTesting({ 'fake-enhancement': join(testing, 'fake-enhancement.ts') }, outDir, 'es');
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  const result = await run(process.execPath, [tsc, '-p', join(target, 'tsconfig.json')], { cwd: root });
  if (result.code !== 0) throw new SetupError('The TypeScript compiler refused the client; its reasons are above.');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const folders = BUNDLED.map((name) => `node_modules/${name}`);
  writeFileSync(join(outDir, 'licences.txt'), packageLicences(root, packages, folders).join('\n'));
  nameDeclarations(join(outDir, 'types'));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
}

/**
 * Builds one module of `@burnish/client/testing`. Zod is part of it, and packages of Temporal stay outside.
 * @param {Record<string, string>} input its name with the path of its source
 * @param {string} outDir
 * @param {'es' | 'cjs'} format
 */
async function buildTesting(input, outDir, format) {
  const { build } = await import('vite');
  const entryFileNames = `[name].${format === 'es' ? 'js' : 'cjs'}`;
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
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

/**
 * Lets the declarations import each other as compilers without our sources expect it.
 * @param {string} folder
 */
function nameDeclarations(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
  }
}

if (process.argv[1] === import.meta.filename) await runAsMain(buildClient);
