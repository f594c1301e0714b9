import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, isStamped } from './fingerprint.mjs';

/** Sources of dist/. A change of any of them triggers a new build. */
const SOURCES = [
  'src',
  'tsconfig.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/build-child.mjs',
  'scripts/build-stamp.mjs',
  'scripts/compile.mjs',
  'scripts/package/bundle-modules.mjs',
  'scripts/package/package-sources.mjs',
];
/** Those of each package. Its own dist/ is a result, too, and its tests change nothing. */
const IN_PACKAGES = ['src', 'fonts', 'models', 'package.json', 'build.mjs'];

/**
 * Fingerprint of the sources, for `stampBuild`. A build takes it first, so that a change during the build triggers another one.
 * @param {string} root the folder with src/ and dist/
 */
export function fingerprintSources(root) {
  const packages = readdirSync(join(root, 'packages'))
    .filter((name) => name !== 'guide')
    .sort();
  return fingerprint(root, [
    ...SOURCES,
    ...packages.flatMap((name) => IN_PACKAGES.map((each) => `packages/${name}/${each}`)),
  ]);
}

/** @param {string} root */
export const isBuildFresh = (root) => isStamped(stampFile(root), fingerprintSources(root));

/**
 * Marks dist/ as built from sources with this fingerprint.
 * @param {string} root
 * @param {string} sources
 */
export const stampBuild = (root, sources) => writeFileSync(stampFile(root), sources);

const stampFile = (/** @type {string} */ root) => join(root, 'dist', '.burnish-sources');
