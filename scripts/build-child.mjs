import { join } from 'node:path';
import { PACKAGE_SOURCES } from './package/package-sources.mjs';

const packages = join(import.meta.dirname, '..', 'packages');

/**
 * Bundles the program of the engine's children and its tasks. A child starts for each account, and Node.js
 * needs longer to find a hundred modules than to run them. CommonJS starts without the loader of ES modules, and
 * sharp loads twice as fast in it. Packages stay outside, apart from file-type, which has no CommonJS form, and those of this clone.
 * @param {string} outDir a folder beside the fonts and the networks
 * @param {{ more?: Record<string, string>, plugins?: import('vite').Plugin[] }} [options] further lists of tasks by name
 */
export async function buildChild(outDir, { more = {}, plugins = [] } = {}) {
  const { build } = await import('vite');
  const input = {
    'jail-child': join(packages, 'jail', 'src', 'jail-child.ts'),
    tasks: join(packages, 'engine', 'src', 'tasks.ts'),
    ...more,
  };
  const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' };
  await build({
    configFile: false,
    root: packages,
    logLevel: 'warn',
    plugins,
    resolve: { alias: PACKAGE_SOURCES },
    ssr: { noExternal: ['file-type', 'strtok3', 'token-types', 'uint8array-extras', /^@tokenizer\//, /^@borewit\//] },
    build: {
      outDir,
      emptyOutDir: true,
      ssr: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input,
        output: { format: 'cjs', ...names },
      },
    },
  });
}
