import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildGuide as buildSite } from '../packages/guide/build.mjs';
import { fingerprint, isStamped } from './fingerprint.mjs';

/** What the guide is made of, besides the pages and files of the other packages and the examples. */
const SOURCES = [
  'docs',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'THIRD-PARTY.md',
  'package.json',
  'deploy/grafana',
  'deploy/prometheus',
  'samples/README.md',
  'packages/engine/docs',
  'packages/guide/build.mjs',
  'packages/guide/package.json',
  'packages/guide/site',
  'packages/guide/src',
  'packages/dashboard/src/styles',
  'scripts/package/repository-url.mjs',
];

/** @param {string} root */
function fingerprintGuide(root) {
  const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
  const readmes = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
  return fingerprint(root, [...SOURCES, ...readmes.sort(), ...examples.sort()]);
}

const stampFile = (/** @type {string} */ root) => join(root, 'dist', '.burnish-guide');

/** @param {string} root */
export const isGuideFresh = (root) => isStamped(stampFile(root), fingerprintGuide(root));

/**
 * Builds the guide into dist/, which takes about two seconds, and stamps it. It has a stamp of its own, since a change of a page changes no program.
 * @param {string} root the folder with docs/ and dist/
 */
export async function buildGuide(root) {
  const sources = fingerprintGuide(root);
  await buildSite(root, join(root, 'dist', 'guide'));
  writeFileSync(stampFile(root), sources);
}
