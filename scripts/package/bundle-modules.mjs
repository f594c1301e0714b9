import { join } from 'node:path';
import { PACKAGE_SOURCES } from './package-sources.mjs';

/**
 * The packages of npm that our bundles contain. file-type has no CommonJS form, and pdf-lib has 26 MB in four forms, so the engine has them,
 * and what they need, inside.
 */
export const INSIDE = {
  client: ['@stablelib/base64', 'eventsource-parser', 'fast-sha256', 'standardwebhooks', 'zod'],
  engine: [
    '@borewit/text-codec',
    '@cantoo/pdf-lib',
    '@tokenizer/inflate',
    '@tokenizer/token',
    'culori',
    'debug',
    'fflate',
    'file-type',
    'html-entities',
    'ieee754',
    'ms',
    'node-html-better-parser',
    'strtok3',
    'token-types',
    'tslib',
    'uint8array-extras',
  ],
};

/**
 * Bundles modules as CommonJS, with those of other packages of the clone that they import. `import` and `require` load the same file, so
 * that a process has each class once. Jest's own `require` knows no `import()`, so the bundle requires what its sources load on demand. A
 * chunk is named by its content: the module that requires it changes with it.
 * @param {string} outDir is not emptied
 * @param {Record<string, string>} input the source of each module, by its name
 * @param {{ inside?: readonly string[], outside?: string[], keepImports?: boolean, plugins?: import('vite').Plugin[] }} [options] inside:
 *   packages of npm that become part of the bundle; outside: packages of the clone that do not; keepImports: for a program that loads any
 *   module, which may be an ES module that awaits
 */
export async function bundleModules(outDir, input, options = {}) {
  const { inside = INSIDE.engine, outside = [], keepImports = false, plugins = [] } = options;
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(import.meta.dirname, '..', '..'),
    logLevel: 'warn',
    plugins,
    resolve: { alias: PACKAGE_SOURCES },
    ssr: { noExternal: [...inside] },
    build: {
      outDir,
      emptyOutDir: false,
      ssr: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input,
        external: outside,
        output: {
          format: 'cjs',
          dynamicImportInCjs: keepImports,
          entryFileNames: '[name].cjs',
          chunkFileNames: '[name]-[hash].cjs',
          // Node.js reads the names of a CommonJS module from its text, which must have no exports of other modules.
          codeSplitting: { groups: [{ name: 'npm', test: /[\\/]node_modules[\\/]/ }] },
        },
      },
    },
  });
}

/**
 * @param {string} folder of a package
 * @param {readonly string[]} names of modules in its `src`
 * @returns {Record<string, string>} the source of each, by its name
 */
export const sourcesOf = (folder, names) =>
  Object.fromEntries(names.map((name) => [name, join(folder, 'src', `${name}.ts`)]));
