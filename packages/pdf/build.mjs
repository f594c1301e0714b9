#!/usr/bin/env node
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameDeclarations } from '../../scripts/package/name-declarations.mjs';
import { SetupError, run, runAsMain } from '../../scripts/process.mjs';

const folder = import.meta.dirname;
const root = join(folder, '..', '..');

/** Builds this package: one module, and its types. It has no dependencies. */
async function buildPackage() {
  const outDir = join(folder, 'dist');
  await bundlePdf(outDir);
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  const result = await run(process.execPath, [tsc, '-p', join(folder, 'tsconfig.types.json')], { cwd: root });
  if (result.code !== 0) throw new SetupError('The TypeScript compiler refused the package; its reasons are above.');
  nameDeclarations(join(outDir, 'types'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
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
