import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { BINDING, NATIVE_CODE, NETWORK_PLATFORMS } from './onnxruntime.mjs';

/** The manifests whose dependencies run with the product, by their folder: that of the clone, and that of the engine, which it bundles. */
export const MANIFESTS = ['', 'packages/engine'];

/** Packages that npm installs itself, because each platform has its own package of their native code. */
export const FROM_NPM = ['sharp'];

/**
 * Dependencies that the product never uses, by the package that names them. Workflows are compiled by the build, so the compiler of the
 * worker is left out. Of onnxruntime-node, the native code is used alone. The install script of Scarf reports the installation.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const LEFT_OUT = {
  '@temporalio/worker': ['@swc/core', 'memfs', 'source-map-loader', 'swc-loader', 'unionfs', 'webpack'],
  'onnxruntime-node': ['adm-zip', 'global-agent', 'onnxruntime-common'],
  'swagger-ui-dist': ['@scarf/scarf'],
};

/** Packages that the worker loads at its start, and uses only to compile workflows. Empty modules replace them. */
const UNUSED_COMPILER = ['memfs', 'unionfs', 'webpack'];

/** Types, source maps, documents, and the rules by which npm packs. */
const UNUSED_FILE =
  /\.(map|flow|[cm]?tsx?)$|^(?!licen[cs]e|copying|notice|patents).*\.(md|markdown)$|^(readme|changelog|changes|history|contributing)$|^\.(npm|git)ignore$|^tsconfig.*json$/i;

/** The native code of Temporal's worker for the platforms of the networks. */
const TEMPORAL_PLATFORMS = ['aarch64-apple-darwin', 'aarch64-unknown-linux-gnu', 'x86_64-unknown-linux-gnu'];
/** What the product loads of onnxruntime-node, with the folders above: its JavaScript is not among it. */
const NATIVE_PATHS = NETWORK_PLATFORMS.flatMap(({ os, cpu, library }) => {
  const folder = [...NATIVE_CODE.split('/'), os, cpu];
  return [BINDING, library].flatMap((file) => [...folder, file].map((_, k, all) => all.slice(0, k + 1).join('/')));
});

/**
 * Paths within a package that the product does not use: other formats of the same modules, sources of native code, other platforms.
 * @type {Readonly<Record<string, RegExp>>}
 */
const UNUSED_PATH = {
  '@aws-sdk/*': /^dist-(es|types)$/,
  '@electric-sql/pglite': /\.cjs$/,
  '@embedpdf/pdfium': /^dist\/(vendor|.*browser.*)/,
  '@graphql-yoga/render-graphiql': /^cjs$/,
  '@smithy/*': /^dist-(es|types)$/,
  '@temporalio/core-bridge': new RegExp(
    `^(bridge-macros|sdk-core|src|ts|scripts|Cargo.*|releases/(?!(${TEMPORAL_PLATFORMS.join('|')})(/|$)).*)$`,
  ),
  'drizzle-orm': /\.cjs$/,
  fontkit: /^(src|dist\/browser.*)$/,
  'libheif-js': /^libheif$/,
  'onnxruntime-node': new RegExp(`^(?!(package\\.json|${NATIVE_PATHS.join('|').replaceAll('.', '\\.')})$)`),
  rxjs: /^(src|dist\/(?!cjs).*)$/,
  'swagger-ui-dist': /^(?!package\.json$|LICENSE|NOTICE|swagger-ui\.css$|swagger-ui-bundle\.js)/,
  zod: /^src$/,
};

/** Fields of a manifest that Node.js reads, and those that name the author's terms. Without scripts, nothing runs at the installation. */
const FIELDS = ['name', 'version', 'license', 'author', 'repository', 'type', 'main', 'exports', 'imports'];

/**
 * Adds the packages that run with the product to a folder of packages, without what does not run: other platforms, other formats,
 * types and source maps. Their install scripts stay behind.
 * @param {string} root the folder with package-lock.json and node_modules
 * @param {string} target a folder named node_modules; the build has put the client there
 * @returns {string[]} the copied folders, relative to the root
 */
export function bundlePackages(root, target) {
  const folders = bundledFolders(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages);
  for (const folder of folders) copyPackage(join(root, folder), join(target, relative('node_modules', folder)));
  for (const name of UNUSED_COMPILER) writeEmptyModule(join(target, '@temporalio/worker/node_modules', name));
  return folders;
}

/**
 * The packages to copy, by their folder: the dependencies, and their dependencies in turn.
 * @param {Record<string, Entry>} entries the packages of package-lock.json
 * @param {readonly string[]} [start] names of packages; absent: all dependencies that npm does not install itself
 * @returns {string[]}
 */
export function bundledFolders(entries, start) {
  const waiting = MANIFESTS.flatMap((from) => {
    const listed = Object.keys(entries[from]?.dependencies ?? {}).filter((name) => !FROM_NPM.includes(name));
    return (start ?? listed).map((name) => ({ name, from }));
  });
  /** @type {Set<string>} */
  const found = new Set();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = resolvePackage(entries, next.from, next.name);
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    for (const name of neededBy(entries[folder] ?? {}, packageName(folder))) waiting.push({ name, from: folder });
  }
  return [...found].sort();
}

/**
 * @typedef {{ name?: string, version?: string, license?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Entry of package-lock.json
 */

/**
 * @param {Entry} entry
 * @param {string} name
 */
function neededBy(entry, name) {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (peer) => !entry.peerDependenciesMeta?.[peer]?.optional,
  );
  const needed = [...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}), ...peers];
  return needed.filter((other) => !LEFT_OUT[name]?.includes(other) && !other.startsWith('@types/'));
}

/**
 * @param {Record<string, Entry>} entries
 * @param {string} from the folder of the package that imports
 * @param {string} name
 */
function resolvePackage(entries, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in entries) return path;
    if (folder === '') return undefined;
  }
}

/** @param {string} folder of a package, under any number of `node_modules` */
export const packageName = (folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * @param {string} source
 * @param {string} target
 */
function copyPackage(source, target) {
  // An optional package for another platform is named in the lockfile and not installed.
  if (!existsSync(source)) return;
  const name = packageName(source.replaceAll('\\', '/'));
  const unused = UNUSED_PATH[name] ?? UNUSED_PATH[name.replace(/\/.*/, '/*')];
  const filter = (/** @type {string} */ path) => {
    const inside = relative(source, path);
    if (inside === '') return true;
    return !(inside === 'node_modules' || UNUSED_FILE.test(basename(path)) || unused?.test(inside));
  };
  cpSync(source, target, { recursive: true, filter, dereference: true });
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const kept = Object.fromEntries(Object.entries(manifest).filter(([field]) => FIELDS.includes(field)));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(kept)}\n`);
}

/** @param {string} folder */
function writeEmptyModule(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name: packageName(folder), version: '0.0.0' })}\n`);
  writeFileSync(join(folder, 'index.js'), 'module.exports = {};\n');
}
