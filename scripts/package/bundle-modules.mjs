import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_SOURCES } from './package-sources.mjs';

/**
 * Bundles modules of a package, with those of other packages of the clone that they import.
 * @param {string} folder of the package
 * @param {string} outDir becomes empty first
 * @param {readonly string[]} names of the modules in its `src`
 */
export async function bundleModules(folder, outDir, names) {
  const { build } = await import('vite');
  rmSync(outDir, { recursive: true, force: true });
  await build({
    configFile: false,
    root: join(folder, '..', '..'),
    logLevel: 'warn',
    resolve: { alias: PACKAGE_SOURCES },
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
