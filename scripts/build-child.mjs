import { join, relative } from 'node:path';

/**
 * Bundles the program of the engine's children and its tasks. A child starts for each account, and Node.js
 * needs longer to find a hundred modules than to run them. CommonJS starts without the loader of ES modules, and
 * sharp loads twice as fast in it. Packages stay outside, apart from file-type, which has no CommonJS form, and those of this clone.
 * @param {{ engine: string, ending: 'js' | 'ts', outDir: string, more?: Record<string, string> }} options folder of the modules,
 * their ending, folder of the bundles, and further lists of tasks by name
 */
export async function buildChild({ engine, ending, outDir, more = {} }) {
  const { build } = await import('vite');
  const packages = join(import.meta.dirname, '..', 'packages');
  const input = {
    'jail-child': join(packages, 'jail', 'src', 'jail-child.ts'),
    tasks: join(engine, `tasks.${ending}`),
    ...more,
  };
  const names = { entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' };
  await build({
    configFile: false,
    root: engine,
    logLevel: 'warn',
    plugins: [keepLocations(outDir)],
    resolve: { alias: [{ find: /^@burnish\/(\w+)$/, replacement: join(packages, '$1', 'src', 'index.ts') }] },
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

/**
 * Modules find networks and files of packages beside themselves, so each keeps the location that it has outside of the bundle.
 * @param {string} outDir
 * @returns {import('vite').Plugin}
 */
function keepLocations(outDir) {
  return {
    name: 'keep-locations',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const own = JSON.stringify(relative(outDir, id));
      return { code: code.replaceAll('import.meta.url', `new URL(${own}, import.meta.url).href`), map: null };
    },
  };
}
