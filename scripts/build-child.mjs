import { join } from 'node:path';
import { bundleModules, sourcesOf } from './package/bundle-modules.mjs';

const packages = join(import.meta.dirname, '..', 'packages');

/**
 * Bundles the program of the engine's children and its tasks. A child starts for each account, and Node.js
 * needs longer to find a hundred modules than to run them. CommonJS starts without the loader of ES modules, and
 * sharp loads twice as fast in it.
 * @param {string} outDir a folder beside the fonts and the networks
 * @param {{ more?: Record<string, string>, plugins?: import('vite').Plugin[] }} [options] further lists of tasks by name
 */
export async function buildChild(outDir, { more = {}, plugins = [] } = {}) {
  await bundleModules(outDir, sourcesOf(join(packages, 'jail'), ['jail-child']), { keepImports: true });
  await bundleModules(outDir, { ...sourcesOf(join(packages, 'engine'), ['tasks']), ...more }, { plugins });
}
