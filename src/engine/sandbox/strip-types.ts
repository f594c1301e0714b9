import { fileURLToPath, pathToFileURL } from 'node:url';

/** What Node.js needs to run TypeScript, where this module is a source itself; compiled, nothing. */
export interface Loader {
  needed: boolean;
  flags: readonly string[];
  /** What the flags name and read */
  files: readonly string[];
}

export const loader: Loader = import.meta.url.endsWith('.ts')
  ? loaderOfSources()
  : { needed: false, flags: [], files: [] };

/** A compiler without further processes, because a jail allows none. It is part of the bundler of the development packages. */
function loaderOfSources(): Loader {
  const path = fileURLToPath(new URL('../../../scripts/strip-types.mjs', import.meta.url));
  return { needed: true, flags: ['--import', pathToFileURL(path).href], files: [path] };
}
