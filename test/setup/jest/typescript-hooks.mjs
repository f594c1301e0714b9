import { transformSync } from '@swc/core';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const globals = new URL('globals.mjs', import.meta.url).href;
const root = new URL('../../../', import.meta.url).href;
/** Modules of tests, beside src/ and in packages. */
const isOfTest = (/** @type {string} */ url) =>
  url.startsWith(root) && /^(packages\/[^/]+\/)?test\//.test(url.slice(root.length));
const isSource = (/** @type {string | undefined} */ url) => url !== undefined && new URL(url).pathname.endsWith('.ts');
const childProgram = new URL('../../../src/sandbox/child-program.ts', import.meta.url).href;
const bundledChild = new URL('bundled-child.ts', import.meta.url).href;
const cache = fileURLToPath(new URL('../../../.cache/typescript', import.meta.url));
mkdirSync(cache, { recursive: true });

/** @type {import('@swc/core').Options} */
const OPTIONS = {
  jsc: {
    parser: { syntax: 'typescript', explicitResourceManagement: true },
    target: 'es2022',
    transform: { verbatimModuleSyntax: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  swcrc: false,
};

/**
 * Modules below test/ take the query of their importer, which is the number of the test file. So each test file has modules
 * of its own there, with their hooks and state, and shares the product's modules with the earlier files of its process.
 * For them, a package of the clone is its sources, so that no test waits for its build. For modules of a build, it is that of the build.
 * Children of the engine run a bundle, which starts in a third of the time of its sources.
 *
 * @type {import('node:module').ResolveHook}
 */
export async function resolve(specifier, context, next) {
  const query = context.parentURL === undefined ? '' : new URL(context.parentURL).search;
  if (specifier === '@jest/globals') return { url: globals + query, format: 'module', shortCircuit: true };
  const [, ours, entry = 'index'] = /^@burnish\/(\w+)(?:\/(\w+))?$/.exec(specifier) ?? [];
  if (ours !== undefined && isSource(context.parentURL))
    return { url: `${root}packages/${ours}/src/${entry}.ts`, format: 'module', shortCircuit: true };
  const found =
    specifier.startsWith('.') && specifier.endsWith('.ts')
      ? { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
      : await next(specifier, context);
  if (found.url === childProgram) return { ...found, url: bundledChild };
  return isOfTest(found.url) ? { ...found, url: found.url + query } : found;
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts')) return await next(url, context);
  return { source: compile(fileURLToPath(url)), format: 'module', shortCircuit: true };
}

/**
 * The cache has one entry for each file: the hash of the source in a first comment, then the JavaScript.
 *
 * @param {string} path
 */
function compile(path) {
  const source = readFileSync(path, 'utf8');
  const head = `/* ${createHash('sha256').update(JSON.stringify(OPTIONS)).update(source).digest('hex')} */ `;
  const entry = join(cache, `${createHash('sha256').update(path).digest('hex')}.js`);
  const cached = readIfThere(entry);
  if (cached?.startsWith(head)) return cached;
  const code = head + transformSync(source, { ...OPTIONS, filename: path }).code;
  // Another process reads a whole entry or none.
  const unfinished = `${entry}.${process.pid}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, entry);
  return code;
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
