import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, isStamped } from './fingerprint.mjs';

/** Sources of dist/. A change of any of them triggers a new build. */
const SOURCES = [
  'src',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/build-child.mjs',
  'scripts/build-dashboard.mjs',
  'scripts/build-stamp.mjs',
];

/**
 * Fingerprint of the sources, for `stampBuild`. A build takes it first, so that a change during the build triggers another one.
 * @param {string} root the folder with src/ and dist/
 */
export const fingerprintSources = (root) => fingerprint(root, SOURCES);

/** @param {string} root */
export const isBuildFresh = (root) => isStamped(stampFile(root), fingerprintSources(root));

/**
 * Marks dist/ as built from sources with this fingerprint.
 * @param {string} root
 * @param {string} sources
 */
export const stampBuild = (root, sources) => writeFileSync(stampFile(root), sources);

const stampFile = (/** @type {string} */ root) => join(root, 'dist', '.burnish-sources');
